""" Contains all the data models used in inputs/outputs """

from .authentication_error import AuthenticationError
from .authentication_error_errors import AuthenticationErrorErrors
from .authorization_error import AuthorizationError
from .authorization_error_errors import AuthorizationErrorErrors
from .business import Business
from .business_page import BusinessPage
from .category import Category
from .category_page import CategoryPage
from .choice import Choice
from .error import Error
from .error_errors import ErrorErrors
from .field_errors import FieldErrors
from .found_user import FoundUser
from .found_user_status import FoundUserStatus
from .gateway_error import GatewayError
from .get_review_stats_group_by import GetReviewStatsGroupBy
from .get_review_stats_partner_in_item import GetReviewStatsPartnerInItem
from .get_review_stats_state_item import GetReviewStatsStateItem
from .invalid_error import InvalidError
from .invalid_error_errors import InvalidErrorErrors
from .partner_category import PartnerCategory
from .partner_counts import PartnerCounts
from .partners import Partners
from .rating_counts import RatingCounts
from .review import Review
from .review_group import ReviewGroup
from .review_page import ReviewPage
from .review_partner import ReviewPartner
from .review_state import ReviewState
from .review_stats import ReviewStats
from .search_reviews_order_by import SearchReviewsOrderBy
from .search_reviews_partner_in_item import SearchReviewsPartnerInItem
from .search_reviews_state_item import SearchReviewsStateItem
from .search_users_status import SearchUsersStatus
from .state_counts import StateCounts
from .success import Success
from .success_status import SuccessStatus
from .user import User
from .user_change import UserChange
from .user_change_role_type_1 import UserChangeRoleType1
from .user_change_role_type_2_type_1 import UserChangeRoleType2Type1
from .user_change_role_type_3_type_1 import UserChangeRoleType3Type1
from .user_change_status_type_1 import UserChangeStatusType1
from .user_change_status_type_2_type_1 import UserChangeStatusType2Type1
from .user_change_status_type_3_type_1 import UserChangeStatusType3Type1
from .user_creation import UserCreation
from .user_creation_role_type_1 import UserCreationRoleType1
from .user_creation_role_type_2_type_1 import UserCreationRoleType2Type1
from .user_creation_role_type_3_type_1 import UserCreationRoleType3Type1
from .user_creation_status_type_1 import UserCreationStatusType1
from .user_creation_status_type_2_type_1 import UserCreationStatusType2Type1
from .user_creation_status_type_3_type_1 import UserCreationStatusType3Type1
from .user_page import UserPage
from .user_role import UserRole
from .user_stats import UserStats
from .user_status import UserStatus

__all__ = (
    "AuthenticationError",
    "AuthenticationErrorErrors",
    "AuthorizationError",
    "AuthorizationErrorErrors",
    "Business",
    "BusinessPage",
    "Category",
    "CategoryPage",
    "Choice",
    "Error",
    "ErrorErrors",
    "FieldErrors",
    "FoundUser",
    "FoundUserStatus",
    "GatewayError",
    "GetReviewStatsGroupBy",
    "GetReviewStatsPartnerInItem",
    "GetReviewStatsStateItem",
    "InvalidError",
    "InvalidErrorErrors",
    "PartnerCategory",
    "PartnerCounts",
    "Partners",
    "RatingCounts",
    "Review",
    "ReviewGroup",
    "ReviewPage",
    "ReviewPartner",
    "ReviewState",
    "ReviewStats",
    "SearchReviewsOrderBy",
    "SearchReviewsPartnerInItem",
    "SearchReviewsStateItem",
    "SearchUsersStatus",
    "StateCounts",
    "Success",
    "SuccessStatus",
    "User",
    "UserChange",
    "UserChangeRoleType1",
    "UserChangeRoleType2Type1",
    "UserChangeRoleType3Type1",
    "UserChangeStatusType1",
    "UserChangeStatusType2Type1",
    "UserChangeStatusType3Type1",
    "UserCreation",
    "UserCreationRoleType1",
    "UserCreationRoleType2Type1",
    "UserCreationRoleType3Type1",
    "UserCreationStatusType1",
    "UserCreationStatusType2Type1",
    "UserCreationStatusType3Type1",
    "UserPage",
    "UserRole",
    "UserStats",
    "UserStatus",
)
