from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0004_anchor_errors"),
        ("standings", "0004_contenders"),
    ]

    operations = [
        migrations.AddField(
            model_name="fit",
            name="anchor_errors",
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name="fit",
            name="anchor_checks",
            field=models.JSONField(default=list),
        ),
    ]
