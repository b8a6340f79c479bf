//! Users, organisations and businesses of the tests.

use futures::future::LocalBoxFuture;
use presence_domain::audit::AuditAction;
use presence_domain::email::EmailAddress;
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::invitation::InvitationLinks;
use presence_domain::user::Role::{self, BusinessManager, OrgAdmin, Provider};
use presence_domain::user::Status::{self, Active, Invited};
use presence_domain::user::{PersonName, User, UserChange};
use presence_store::{Business, Org};
use tokio::sync::OnceCell;

use crate::logs::ADDRESS_CANARY;
use crate::test_stack::TestStack;

/// User of a test.
#[derive(Clone, Debug)]
pub struct TestUser {
    /// Id.
    pub id: String,
    /// E-mail address.
    pub email: String,
    /// API key; empty unless the user is active.
    pub key: String,
}

/// Users of every role in two organisations, 1 and 2. Each organisation has the businesses `b<org>-1` to `b<org>-3`.
#[derive(Clone, Debug)]
pub struct Fixtures {
    /// PROVIDER without organisation.
    pub provider: TestUser,
    /// PROVIDER in organisation 1.
    pub provider_in_1: TestUser,
    /// `ORG_ADMIN` of organisation 1.
    pub admin_1: TestUser,
    /// Second `ORG_ADMIN` of organisation 1.
    pub other_admin_1: TestUser,
    /// `BUSINESS_MANAGER` of organisation 1.
    pub manager_1: TestUser,
    /// Second `BUSINESS_MANAGER` of organisation 1.
    pub other_manager_1: TestUser,
    /// Invited `BUSINESS_MANAGER` of organisation 1, without a mail.
    pub invited_1: TestUser,
    /// `ORG_ADMIN` of organisation 2.
    pub admin_2: TestUser,
    /// `BUSINESS_MANAGER` of organisation 2.
    pub manager_2: TestUser,
    /// Invited `BUSINESS_MANAGER` of organisation 2, without a mail.
    pub invited_2: TestUser,
}

/// Returns an e-mail address that the log must never show.
pub fn address(local: &str) -> String {
    format!("{local}@{ADDRESS_CANARY}.example")
}

/// Copy of the tables of a stack. Another stack gets it in a hundredth of the time that it takes to write them.
pub struct SavedTables(Vec<u8>);

impl SavedTables {
    /// Saves the tables of a stack.
    ///
    /// # Panics
    /// Panics if they cannot be saved.
    pub fn of(stack: &TestStack) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tables.sqlite");
        stack.local.save_tables(&path).expect("the tables can be saved");
        Self(std::fs::read(path).expect("the saved tables"))
    }

    /// Copies the tables into those of a stack. Returns false if these have items.
    ///
    /// # Panics
    /// Panics if the tables of the stack are not embedded.
    pub fn copy_into(&self, stack: &TestStack) -> bool {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), &self.0).expect("a copy of the saved tables");
        stack.local.restore_tables_if_empty(file.path()).expect("the saved tables")
    }
}

impl std::fmt::Debug for SavedTables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SavedTables({} bytes)", self.0.len())
    }
}

/// Fixtures, with a copy of tables that have them and perhaps more. The first stack that needs it makes it.
pub type SavedFixtures = OnceCell<(SavedTables, Fixtures)>;
/// Writes the fixtures, and perhaps more, into empty tables of a stack.
pub type WriteFixtures = for<'a> fn(&'a TestStack) -> LocalBoxFuture<'a, Fixtures>;

async fn save_fixtures(write: WriteFixtures) -> (SavedTables, Fixtures) {
    let stack = TestStack::start().await;
    let fixtures = write(&stack).await;
    (SavedTables::of(&stack), fixtures)
}

impl Fixtures {
    /// Returns all users with their names, in the order of their creation.
    pub fn people(&self) -> [(&'static str, &TestUser); 10] {
        [
            ("provider", &self.provider),
            ("provider_in_1", &self.provider_in_1),
            ("admin_1", &self.admin_1),
            ("other_admin_1", &self.other_admin_1),
            ("manager_1", &self.manager_1),
            ("other_manager_1", &self.other_manager_1),
            ("invited_1", &self.invited_1),
            ("admin_2", &self.admin_2),
            ("manager_2", &self.manager_2),
            ("invited_2", &self.invited_2),
        ]
    }

    /// Starts an empty stack, and writes the fixtures into its tables.
    pub async fn start() -> (TestStack, Self) {
        let stack = TestStack::start().await;
        let fixtures = Self::create(&stack).await;
        (stack, fixtures)
    }

    /// Does the same with a stack that counts its round trips.
    pub async fn counting_waves() -> (TestStack, Self) {
        let stack = TestStack::counting_waves().await;
        let fixtures = Self::create(&stack).await;
        (stack, fixtures)
    }

    /// Writes the fixtures into the tables of a stack.
    ///
    /// # Panics
    /// Panics if the fixtures cannot be written.
    pub async fn create(stack: &TestStack) -> Self {
        static SAVED: SavedFixtures = OnceCell::const_new();
        Self::copy(stack, &SAVED, |stack| Box::pin(Self::write(stack))).await
    }

    /// Fills the tables of a stack as `write` does. Empty tables in memory become a copy of the saved ones.
    ///
    /// # Panics
    /// Panics if they cannot be written.
    pub async fn copy(stack: &TestStack, saved: &SavedFixtures, write: WriteFixtures) -> Self {
        if stack.is_restorable {
            let (tables, fixtures) = saved.get_or_init(|| save_fixtures(write)).await;
            if tables.copy_into(stack) {
                return fixtures.clone();
            }
        }
        write(stack).await
    }

    /// Writes the fixtures, each time with other ids and keys.
    ///
    /// # Panics
    /// Panics if they cannot be written.
    pub async fn write(stack: &TestStack) -> Self {
        for org in [1, 2] {
            stack.create_org(org).await;
            for number in 1..=3 {
                stack.create_business(org, &format!("b{org}-{number}"), "Saint-Étienne").await;
            }
        }
        Self {
            provider: stack.create_user("provider", Provider, None, Active).await,
            provider_in_1: stack.create_user("provider-in-1", Provider, Some(1), Active).await,
            admin_1: stack.create_user("admin-1", OrgAdmin, Some(1), Active).await,
            other_admin_1: stack.create_user("other-admin-1", OrgAdmin, Some(1), Active).await,
            manager_1: stack.create_user("manager-1", BusinessManager, Some(1), Active).await,
            other_manager_1: stack.create_user("other-manager-1", BusinessManager, Some(1), Active).await,
            invited_1: stack.create_user("invited-1", BusinessManager, Some(1), Invited).await,
            admin_2: stack.create_user("admin-2", OrgAdmin, Some(2), Active).await,
            manager_2: stack.create_user("manager-2", BusinessManager, Some(2), Active).await,
            invited_2: stack.create_user("invited-2", BusinessManager, Some(2), Invited).await,
        }
    }
}

impl TestStack {
    /// Creates a user, past the API. Its last name is the local part of its address.
    ///
    /// # Panics
    /// Panics if the user cannot be written.
    pub async fn create_user(&self, local: &str, role: Role, org: Option<u64>, status: Status) -> TestUser {
        let user = test_user(local, role, org, status);
        self.put_user(&user).await;
        let id = user.id.to_string();
        let key = if status == Status::Active { self.issue_key(&id).await } else { String::new() };
        TestUser { id, email: address(local), key }
    }

    /// Writes a new user, past the API.
    ///
    /// # Panics
    /// Panics if the user cannot be written.
    pub async fn put_user(&self, user: &User) {
        let now = presence_runtime::clock::Clock::now(self.clock.as_ref());
        self.stores()
            .users
            .write(None, &UserChange::by(&crate::operator(), AuditAction::Create, user.clone(), now))
            .await
            .expect("a fresh user");
    }

    /// Creates an organisation.
    ///
    /// # Panics
    /// Panics if the organisation cannot be written.
    pub async fn create_org(&self, id: u64) {
        let org = Org { id: OrgId::new(id).expect("an id"), name: format!("Organisation {id}") };
        self.stores().businesses.put_org(&org).await.expect("the store answers");
    }

    /// Creates a business.
    ///
    /// # Panics
    /// Panics if the business cannot be written.
    pub async fn create_business(&self, org: u64, id: &str, city: &str) {
        let business = Business {
            id: BusinessId::parse(id).expect("an id"),
            org_id: OrgId::new(org).expect("an id"),
            name: format!("Shop {id}"),
            city: city.to_owned(),
        };
        self.stores().businesses.put(&business).await.expect("the store answers");
    }
}

/// Returns a user that is not stored, with an address of its own and no optional field.
///
/// # Panics
/// Panics if the local part is no name, or no local part of an address.
pub fn test_user(local: &str, role: Role, org: Option<u64>, status: Status) -> User {
    let name = |text: &str| PersonName::parse(text).expect("a name");
    User {
        id: UserId::random(),
        version: 1,
        status,
        role,
        org_id: org.and_then(OrgId::new),
        first_name: name("Test"),
        last_name: name(local),
        email: EmailAddress::parse(&address(local)).expect("an address"),
        phone: None,
        lang: None,
        business_ids: Vec::new(),
        password: None,
        invited_at: None,
        quiet_until: None,
        links: InvitationLinks::default(),
        keys: Vec::new(),
    }
}
