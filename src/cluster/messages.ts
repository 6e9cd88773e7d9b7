import type { MetricsPage } from '../observability/metrics.ts';
import type { MetricsJson } from './metrics-sum.ts';

/** What a worker tells the primary. */
export type FromWorker =
  | { readonly kind: 'serving'; readonly url: string }
  /** It could not start, and ends. */
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** Somebody wants it gone: it goes on until another has taken its place. */
  | { readonly kind: 'leaving' }
  /** The answer to `collect`. */
  | { readonly kind: 'collected'; readonly id: number; readonly metrics: MetricsJson }
  /** What it has counted in all its life, right before its end. */
  | { readonly kind: 'farewell'; readonly metrics: MetricsJson }
  /** Somebody asks it for the metrics of all. */
  | { readonly kind: 'ask-page'; readonly id: number };

/** What the primary tells a worker. */
export type ToWorker =
  /** The whole instance ends: drain, and exit. */
  | { readonly kind: 'stop' }
  /** Another has taken its place: finish what came, and exit. */
  | { readonly kind: 'retire' }
  | { readonly kind: 'collect'; readonly id: number }
  /** The answer to `ask-page`; without a page, where none could be made. */
  | { readonly kind: 'page'; readonly id: number; readonly page?: MetricsPage };

/** An error on its way to another process. */
export interface Failure {
  readonly message: string;
  readonly stack: string | undefined;
  /** Whether it is one that the operator can mend. */
  readonly isOperators: boolean;
}
