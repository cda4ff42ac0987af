"""What a recorded match was like: chances, decisions that cost, luck, where points came from."""
