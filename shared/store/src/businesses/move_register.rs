//! Item of the register of unfinished moves, and the transactions that begin and end a move.

use serde::{Deserialize, Serialize};

use super::{Business, BusinessLocation, BusinessStore, key};
use crate::client::read::Item;
use crate::client::tables::{Condition, ItemWrite};
use crate::client::transaction::{Transaction, TransactionError};
use crate::format::{MOVE_REGISTER, item_as, parse_as};
use crate::keys::{MOVES_PK, business_pk};
use crate::schema;
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::text::city_key;
use presence_ledger::moves::{MoveRegister, UnfinishedMove};

/// Attribute that each change of the register raises.
const VERSION: &str = "version";

#[derive(Serialize, Deserialize)]
struct RegisterItem {
    pk: String,
    version: u64,
    begun: u64,
    forgotten: u64,
    moves: Vec<MoveRow>,
    /// Two organisations, and the number of the last move between them that began.
    links: Vec<(u64, u64, u64)>,
    left_places: Vec<u64>,
}

/// Business, its organisation, and the places that it left: organisations and cities.
type MoveRow = (String, u64, Vec<(u64, String)>);

/// Register as it is stored; version 0 if there is none.
struct StoredRegister {
    version: u64,
    register: MoveRegister,
}

/// Result of an attempt to begin a move.
pub(super) enum Begun {
    Yes,
    /// The business has changed since it was compared.
    Outdated,
    /// The register has no room until this business, or another one, has moved.
    TooMany(BusinessId),
}

/// Thing that a condition of a transaction protects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Guard {
    Business,
    Register,
}

impl StoredRegister {
    fn read(item: Item) -> Result<Self, Error> {
        let RegisterItem { version, begun, forgotten, moves, links, left_places, .. } = parse_as(MOVE_REGISTER, item)?;
        let place = |(org_id, city_key): (u64, String)| Some((OrgId::new(org_id)?, city_key));
        let read_move = |(id, org_id, left): MoveRow| {
            let left = left.into_iter().map(place).collect::<Option<_>>()?;
            Some((BusinessId::parse(&id)?, UnfinishedMove { org_id: OrgId::new(org_id)?, left }))
        };
        let read_link = |(one, other, begun)| Some(((OrgId::new(one)?, OrgId::new(other)?), begun));
        let moves: Option<_> = moves.into_iter().map(read_move).collect();
        let links: Option<_> = links.into_iter().map(read_link).collect();
        let read = moves.zip(links);
        let read = read.map(|(moves, links)| MoveRegister { begun, moves, links, forgotten, left_places });
        let register = read.ok_or_else(|| Error::internal("the register of moves breaks the rules of its fields"))?;
        Ok(Self { version, register })
    }

    /// Returns the item of the next version.
    fn next_item(&self) -> Result<Item, Error> {
        let MoveRegister { begun, moves, links, forgotten, left_places } = &self.register;
        let move_row = |(id, UnfinishedMove { org_id, left }): (&BusinessId, &UnfinishedMove)| {
            let left = left.iter().map(|(org_id, city_key)| (org_id.get(), city_key.clone())).collect();
            (id.as_str().to_owned(), org_id.get(), left)
        };
        let link = |((one, other), begun): (&(OrgId, OrgId), &u64)| (one.get(), other.get(), *begun);
        item_as(
            MOVE_REGISTER,
            &RegisterItem {
                pk: MOVES_PK.to_owned(),
                version: self.version + 1,
                begun: *begun,
                forgotten: *forgotten,
                moves: moves.iter().map(move_row).collect(),
                links: links.iter().map(link).collect(),
                left_places: left_places.clone(),
            },
        )
    }

    /// Returns the condition that this version is still stored.
    fn condition(&self) -> Condition {
        if self.version == 0 { Condition::NotThere } else { Condition::NumberIs(VERSION, self.version) }
    }

    /// Returns a move that must be finished before another one begins: the business itself if it moves, or else any.
    fn some_move(&self, business: &BusinessId) -> BusinessId {
        let others: Vec<&BusinessId> = self.register.moves.keys().collect();
        let is_moving = self.register.moves.contains_key(business);
        // Any: several processes that wait should finish several moves.
        let other = fastrand::choice(&others).filter(|_| !is_moving);
        other.map_or_else(|| business.clone(), |other| (*other).clone())
    }
}

impl BusinessStore {
    /// Returns the moves that are not finished, by a strong read.
    pub(crate) async fn get_move_register(&self) -> Result<MoveRegister, Error> {
        Ok(self.read_register().await?.register)
    }

    async fn read_register(&self) -> Result<StoredRegister, Error> {
        let stored = self.db.get(&schema::BUSINESSES, key(MOVES_PK.to_owned())).await?;
        let none = || StoredRegister { version: 0, register: MoveRegister::default() };
        stored.map_or_else(|| Ok(none()), StoredRegister::read)
    }

    /// Puts a business that leaves a place, and registers its move.
    pub(super) async fn begin_move(
        &self,
        business: &Business,
        put: ItemWrite,
        left: &BusinessLocation,
    ) -> Result<Begun, Error> {
        let city_key = city_key(&business.city);
        let _turn = self.register_lock.lock().await;
        let mut retries = self.db.retries();
        loop {
            let mut stored = self.read_register().await?;
            if !stored.register.begin(&business.id, (left.org_id, &left.city_key), (business.org_id, &city_key)) {
                return Ok(Begun::TooMany(stored.some_move(&business.id)));
            }
            let mut transaction = Transaction::new();
            transaction.write(Guard::Business, put.clone());
            match self.commit_with_register(transaction, &stored).await? {
                None => return Ok(Begun::Yes),
                Some(Guard::Business) => return Ok(Begun::Outdated),
                Some(Guard::Register) if retries.pause_after_progress().await => {}
                Some(Guard::Register) => return Err(kept_changing()),
            }
        }
    }

    /// Ends the move of a business, all reviews of which are in its place. False if the business has changed since this revision.
    pub(crate) async fn end_move(&self, business: &BusinessId, revision: u64) -> Result<bool, Error> {
        let (place, removed) = (key(business_pk(business)), vec!["leaving".to_owned()]);
        let is_same = Condition::NumberIs("revision", revision);
        let update = ItemWrite::update(&schema::BUSINESSES, place, Vec::new(), removed, [is_same]);
        let _turn = self.register_lock.lock().await;
        let mut retries = self.db.retries();
        loop {
            let mut stored = self.read_register().await?;
            stored.register.end(business);
            let mut transaction = Transaction::new();
            transaction.write(Guard::Business, update.clone());
            match self.commit_with_register(transaction, &stored).await? {
                None => return Ok(true),
                Some(Guard::Business) => return Ok(false),
                Some(Guard::Register) if retries.pause_after_progress().await => {}
                Some(Guard::Register) => return Err(kept_changing()),
            }
        }
    }

    /// Commits a transaction with the next version of the register. Returns the guard of a condition that failed.
    async fn commit_with_register(
        &self,
        mut transaction: Transaction<Guard>,
        register: &StoredRegister,
    ) -> Result<Option<Guard>, Error> {
        let next = ItemWrite::put(&schema::BUSINESSES, register.next_item()?, [register.condition()]);
        transaction.write(Guard::Register, next);
        match transaction.commit(&self.db).await {
            Ok(()) => {
                self.db.note_progress();
                Ok(None)
            }
            Err(TransactionError::ConditionsFailed(guards)) => Ok(guards.into_iter().min()),
            Err(TransactionError::Failed(error)) => Err(error),
        }
    }
}

fn kept_changing() -> Error {
    Error::Unavailable("other moves of businesses kept beginning and ending first".into())
}
