"""Client of the presence API: users, categories, businesses and reviews."""

from ._errors import (
    ApiError,
    AuthenticationError,
    AuthorizationError,
    ConflictError,
    FieldError,
    GoneError,
    InvalidRequestError,
    NetworkError,
    NotFoundError,
    PresenceError,
    ServiceError,
    TooManyRequestsError,
)
from ._events import EventBatch
from ._pull import Batch
from ._retry import Retry
from ._verify import WebhookHeaders, WebhookVerificationError, verify_webhook
from ._version import __version__
from .client import PresenceClient
from .generated.models import (
    Business,
    BusinessPage,
    Category,
    CategoryPage,
    Delivery,
    DeliveryPage,
    Event,
    EventData,
    FoundUser,
    IssuedKey,
    Key,
    KeyCreation,
    OutcomeReport,
    Reply,
    Review,
    ReviewPage,
    ReviewStats,
    User,
    UserChange,
    UserCreation,
    UserPage,
    UserStats,
    Webhook,
    WebhookChange,
    WebhookCreation,
    WebhookWithSecret,
)
from .generated.types import Unset


def _unset(_: Unset) -> str:
    return "UNSET"


# A field that an answer leaves out has no address in the texts of models.
Unset.__repr__ = _unset  # type: ignore[method-assign, assignment]

__all__ = [
    "ApiError",
    "AuthenticationError",
    "AuthorizationError",
    "Batch",
    "Business",
    "BusinessPage",
    "Category",
    "CategoryPage",
    "ConflictError",
    "Delivery",
    "DeliveryPage",
    "Event",
    "EventBatch",
    "EventData",
    "FieldError",
    "FoundUser",
    "GoneError",
    "InvalidRequestError",
    "IssuedKey",
    "Key",
    "KeyCreation",
    "NetworkError",
    "NotFoundError",
    "OutcomeReport",
    "PresenceClient",
    "PresenceError",
    "Reply",
    "Retry",
    "Review",
    "ReviewPage",
    "ReviewStats",
    "ServiceError",
    "TooManyRequestsError",
    "User",
    "UserChange",
    "UserCreation",
    "UserPage",
    "UserStats",
    "Webhook",
    "WebhookChange",
    "WebhookCreation",
    "WebhookHeaders",
    "WebhookVerificationError",
    "WebhookWithSecret",
    "__version__",
    "verify_webhook",
]
