from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("standings", "0005_anchor_checks"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="line",
            index=models.Index(models.F("at"), models.F("id"), name="line_by_time"),
        ),
    ]
