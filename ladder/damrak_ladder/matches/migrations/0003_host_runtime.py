from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("matches", "0002_waits")]

    operations = [
        migrations.AddField(
            model_name="host",
            name="runtime",
            field=models.JSONField(blank=True, default=dict),
        ),
    ]
