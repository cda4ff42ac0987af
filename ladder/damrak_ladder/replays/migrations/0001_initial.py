"""Tables, as Django wrote them down."""

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="StoredReplay",
            fields=[
                ("hash", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("data", models.BinaryField()),
            ],
            options={
                "abstract": False,
            },
        ),
    ]
