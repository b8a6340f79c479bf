"""Client of the presence API: users, categories, businesses and reviews."""

from ._errors import (
    ApiError,
    AuthenticationError,
    AuthorizationError,
    ConflictError,
    FieldError,
    InvalidRequestError,
    NetworkError,
    NotFoundError,
    PresenceError,
    ServiceError,
    TooManyRequestsError,
)
from ._pull import Batch
from ._retry import Retry
from ._version import __version__
from .client import PresenceClient
from .generated.models import (
    Business,
    BusinessPage,
    Category,
    CategoryPage,
    FoundUser,
    Review,
    ReviewPage,
    ReviewStats,
    User,
    UserChange,
    UserCreation,
    UserPage,
    UserStats,
)

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
    "FieldError",
    "FoundUser",
    "InvalidRequestError",
    "NetworkError",
    "NotFoundError",
    "PresenceClient",
    "PresenceError",
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
    "__version__",
]
