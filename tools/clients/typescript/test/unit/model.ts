import type { Review, ReviewFilters, ReviewPage } from "../../src/index.js";

/** Search of reviews in memory, with the order and the bounds of the service. Something may change before each answer. */
export class Model {
  readonly updates = new Map<string, number>();
  /** Numbers of the pages that were read. */
  readonly pages: number[] = [];
  readonly #beforeAnswer: (model: Model) => void;

  constructor(beforeAnswer: (model: Model) => void = () => {}) {
    this.#beforeAnswer = beforeAnswer;
  }

  readonly search = async (filters: ReviewFilters): Promise<ReviewPage> => {
    this.#beforeAnswer(this);
    const { page = 1, per_page = 30, update_date__gte: from, update_date__lte: to } = filters;
    this.pages.push(page);
    const found = [...this.updates]
      .filter(([, second]) => (!from || second >= secondOf(from)) && (!to || second <= secondOf(to)))
      .sort(([a, first], [b, second]) => first - second || (a < b ? -1 : 1));
    if (filters.order_by !== "update_date") found.reverse();
    const reviews = found.slice((page - 1) * per_page, page * per_page).map(([id, second]) => review(id, second));
    return { page, max_page: Math.max(1, Math.ceil(found.length / per_page)), count: found.length, reviews };
  };
}

/** Returns numbers below the bound that look random, the same for each seed. */
export function dice(seed: number): (bound: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

export function textOf(second: number): string {
  return `${new Date(second * 1000).toISOString().slice(0, 19)}+00:00`;
}

function secondOf(text: string): number {
  return Date.parse(text) / 1000;
}

function review(id: string, second: number): Review {
  const texts = { author_name: null, title: null, content: null, reply_comment: null, link: null, key: "k" };
  const ids = { id, org_id: "1", business_id: "b", partner: "partner_8" as const, partner_id: "p" };
  return { ...ids, ...texts, date: textOf(0), update_date: textOf(second), rating: 5, state: "treated" };
}
