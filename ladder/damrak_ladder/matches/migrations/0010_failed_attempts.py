from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0009_short_forms"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                models.F("outcome"), models.F("id"), name="attempt_latest_of_outcome"
            ),
        ),
    ]
