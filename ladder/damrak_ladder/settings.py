"""Django's settings. Everything that differs between installations is set in the environment."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from damrak_ladder.installation.brokers import broker_of
from damrak_ladder.installation.caches import cache_of
from damrak_ladder.installation.databases import database_of
from damrak_ladder.installation.environment import LOOPBACK, SettingError, read_environment
from damrak_ladder.installation.mail import mail_of
from damrak_ladder.installation.secrets import secret_key_of

try:
    ENVIRONMENT = read_environment(os.environ)
except SettingError as problem:
    # No process may start, and a traceback would hide the reason.
    sys.stderr.write(f"damrak-ladder: {problem}\n")
    raise SystemExit(2) from None

DAMRAK_HOME = ENVIRONMENT.home
DAMRAK_URL = ENVIRONMENT.url
DAMRAK_NEEDS_SECOND_FACTOR = ENVIRONMENT.needs_second_factor
DAMRAK_SECURITY_CONTACT = ENVIRONMENT.security_contact
DAMRAK_SECURITY_EXPIRES = ENVIRONMENT.security_expires
DAMRAK_LOCAL_WEBHOOKS = ENVIRONMENT.local_webhooks
DAMRAK_LIMITS = ENVIRONMENT.limits
DAMRAK_UPLOAD_MB = ENVIRONMENT.upload_mb
DAMRAK_BENCHING = ENVIRONMENT.benching
DAMRAK_KEEPING = ENVIRONMENT.keeping
DAMRAK_DUMP = ENVIRONMENT.dump
DAMRAK_WATCHERS_PER_ADDRESS = ENVIRONMENT.watchers
DAMRAK_PEOPLE_GAMES = ENVIRONMENT.people.games
DAMRAK_PEOPLE_GAMES_PER_ADDRESS = ENVIRONMENT.people.per_address
DAMRAK_PEOPLE_HINTS = ENVIRONMENT.people.hints
DAMRAK_PEOPLE_TAKE_BACKS = ENVIRONMENT.people.take_backs
DAMRAK_REPLAY_STORE = ENVIRONMENT.replay_store
DAMRAK_ARCHIVE_STORE = ENVIRONMENT.archive_store
DAMRAK_BUCKET = ENVIRONMENT.bucket
DAMRAK_REPLAY_KEY = ENVIRONMENT.replay_key
DAMRAK_EARLIER_REPLAY_KEYS = ENVIRONMENT.earlier_replay_keys
DAMRAK_LEASE_SECONDS = ENVIRONMENT.lease
DAMRAK_BLOCK_ATTEMPTS = ENVIRONMENT.attempts
DAMRAK_BROKER = broker_of(ENVIRONMENT)
DAMRAK_HOST = ENVIRONMENT.host_name
DAMRAK_REFEREE = ENVIRONMENT.referee
DAMRAK_REFEREE_KEY = ENVIRONMENT.referee_key
DAMRAK_REFEREE_TLS = ENVIRONMENT.referee_tls
DAMRAK_LOBBY = ENVIRONMENT.lobby
DAMRAK_WORKERS = ENVIRONMENT.workers
DAMRAK_GAMES_AT_ONCE = ENVIRONMENT.games_at_once
DAMRAK_GAMES_PER_MINUTE = ENVIRONMENT.games_per_minute

DEBUG = ENVIRONMENT.debug
SECRET_KEY = ENVIRONMENT.secret_key or secret_key_of(DAMRAK_HOME)
ALLOWED_HOSTS = (
    ["127.0.0.1", "[::1]", "localhost"] if ENVIRONMENT.host in LOOPBACK else [ENVIRONMENT.host]
)
ROOT_URLCONF = "damrak_ladder.urls"

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.sitemaps",
    "django.contrib.staticfiles",
    "django_htmx",
    "damrak_ladder.web",  # before allauth, to override its templates
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "damrak_ladder.accounts",
    "damrak_ladder.security",
    "damrak_ladder.changes",
    "damrak_ladder.notices",
    "damrak_ladder.bots",
    "damrak_ladder.matches",
    "damrak_ladder.replays",
    "damrak_ladder.standings",
    "damrak_ladder.analyses",
    "damrak_ladder.trials",
    "damrak_ladder.tournaments",
    "damrak_ladder.play",
    "damrak_ladder.puzzles",
    "damrak_ladder.follows",
    "damrak_ladder.predictions",
    "damrak_ladder.highlights",
    "damrak_ladder.webhooks",
]

MIDDLEWARE = [
    "damrak_ladder.health.middleware.HealthMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "damrak_ladder.web.site.headers.HeadersMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "damrak_ladder.statics.middleware.StaticsMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "damrak_ladder.accounts.known_browsers.KnownBrowserMiddleware",
    "damrak_ladder.accounts.sessions.SessionActivityMiddleware",
    "damrak_ladder.web.site.unreachable.UnreachableMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "damrak_ladder.web.site.plain_templates.PlainTemplates",
        "NAME": "django",
        "DIRS": [Path(__file__).parent],  # a page's template lies beside its view
        "APP_DIRS": True,
        "OPTIONS": {
            "libraries": {
                "accounts": "damrak_ladder.web.account.tags",
                "blocks": "damrak_ladder.web.block.tags",
                "damrak": "damrak_ladder.web.site.tags",
                "covers": "damrak_ladder.web.site.hidden_results",
                "follows": "damrak_ladder.web.follows.tags",
                "guides": "damrak_ladder.web.guides.tags",
                "open_data": "damrak_ladder.web.open_data.tags",
                "predictions": "damrak_ladder.web.predictions.tags",
                "sources": "damrak_ladder.web.bot.tags",
                "tournament_desk": "damrak_ladder.web.tournament_desk.tags",
                "tournaments": "damrak_ladder.web.tournaments.tags",
                "viewer": "damrak_ladder.web.replays.tags",
            },
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "damrak_ladder.web.site.theme.look",
                "damrak_ladder.web.site.hidden_results.look",
            ],
        },
    },
]

DATABASES = {"default": database_of(ENVIRONMENT)}
CACHES = {"default": cache_of(DAMRAK_BROKER)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en"
LANGUAGES = [  # by their own names, which their speakers recognise
    ("en", "English"),
    ("da", "Dansk"),
    ("nb", "Norsk bokmål"),
    ("nl", "Nederlands"),
    ("fi", "Suomi"),
    ("pl", "Polski"),
]
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_AGE = 31_536_000
LOCALE_PATHS = [Path(__file__).parent / "locale"]
FORMAT_MODULE_PATH = ["damrak_ladder.formats"]
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "/static/"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "damrak_ladder.statics.storage.HashedStorage"},
}
WHITENOISE_USE_FINDERS = True
WHITENOISE_ALLOW_ALL_ORIGINS = False

# --- security ------------------------------------------------------------------------------------

SECURE_SSL_REDIRECT = ENVIRONMENT.is_secure
SECURE_HSTS_SECONDS = 31_536_000 if ENVIRONMENT.is_secure else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if ENVIRONMENT.behind_proxy else None
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = ENVIRONMENT.is_secure
LANGUAGE_COOKIE_SECURE = ENVIRONMENT.is_secure
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
CSRF_TRUSTED_ORIGINS = [ENVIRONMENT.url]
CSRF_FAILURE_VIEW = "damrak_ladder.web.site.errors.stale_form"
X_FRAME_OPTIONS = "DENY"

PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.ScryptPasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

# --- accounts ------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
LOGIN_REDIRECT_URL = "/"

ACCOUNT_ADAPTER = "damrak_ladder.accounts.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email", "username"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if ENVIRONMENT.is_secure else "http"
ACCOUNT_USERNAME_MIN_LENGTH = 2
ACCOUNT_USERNAME_BLACKLIST = ["admin", "damrak", "former-author", "house", "root", "staff"]
ACCOUNT_FORMS = {
    "change_password": "damrak_ladder.accounts.forms.PasswordChangeForm",
    "reset_password_from_key": "damrak_ladder.accounts.forms.PasswordResetForm",
}
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_RATE_LIMITS = {  # of failed sign-ins; damrak_ladder.accounts.lockouts counts by them
    "login_failed": "10/m/ip,5/5m/key",
    "login_failed_name": "100/h/key",
    "login_failed_browser": "10/5m/key",
}
USERSESSIONS_ADAPTER = "damrak_ladder.accounts.sessions.SessionsAdapter"
USERSESSIONS_TRACK_ACTIVITY = True  # for the page of sessions; our middleware keeps the times
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Damrak"

# --- logs ----------------------------------------------------------------------------------------

LOGGING_CONFIG = None  # set by each process; Django's default would send errors by mail only

# --- mail ----------------------------------------------------------------------------------------

DEFAULT_FROM_EMAIL = SERVER_EMAIL = ENVIRONMENT.mail_from
globals().update(mail_of(ENVIRONMENT))
