import type { Problem } from '@rollcall/core';
import { webhookProblems, webhookUrlProblem } from '@rollcall/core/adapters';
import { wrongExpiry } from '@rollcall/core/rules';
import type { ApiOperationId, OperationId } from './contract.js';
import type { FailedRule } from './failed-rule.js';

/** The reaction to a value that fails a rule of openapi.yaml. */
export type RuleAnswer =
  /** The request is refused: 400 with the message of the rule. */
  | 'refuse'
  /**
   * The nearest allowed number is used. If the value is not a number, the default, or without one, the largest or else the
   * smallest allowed number.
   */
  | 'clamp'
  /** The core gets no value, because it gives the same answer to a missing value and to a wrong one. */
  | 'leave-out'
  /** The core gets the problem instead of the value, and refuses the request with this and every other problem. */
  | { readonly report: Problem }
  | { readonly reportFor: (value: unknown) => Problem | null }
  /** The request is refused with this problem, which reads better than that of the rule. */
  | { readonly refuse: Problem };

/** The reactions to the keywords that a field can fail. */
interface ByKeyword {
  readonly keywords: Readonly<Record<string, RuleAnswer>>;
}

/** By the path of the field; the path of the whole input is empty. */
type OperationAnswers = Readonly<Record<string, RuleAnswer | ByKeyword>>;

const invitation: OperationAnswers = { expires_in_days: { refuse: wrongExpiry } };

const exportPages: OperationAnswers = { page: 'clamp', per_page: 'clamp' };

const webhook: OperationAnswers = {
  '': { report: webhookProblems.shape },
  webhook: { report: webhookProblems.shape },
  'webhook.enabled': { report: webhookProblems.enabled },
  'webhook.url': { reportFor: webhookUrlProblem },
  'webhook.events': {
    keywords: {
      type: { report: webhookProblems.eventsType },
      items: { report: webhookProblems.events },
    },
  },
  regenerate_secret: { report: webhookProblems.regenerateSecret },
  overlap_hours: { report: webhookProblems.overlapHours },
};

/**
 * The reactions of operations of openapi.yaml to an input that fails a rule. By default, the request is refused, but
 * the `limit` of a list is clamped. Operations of operator.yaml always refuse.
 */
export const ruleAnswers: Readonly<Partial<Record<ApiOperationId, OperationAnswers>>> = {
  // 401 for every wrong access key (decision 31). The core refuses the request, because it counts wrong keys.
  authenticate: { '': 'leave-out', access_key: 'leave-out' },
  inviteUser: invitation,
  inviteUsers: invitation,
  // Never refused (decision 8).
  listUpcomingMeetings: { page: 'clamp', items: 'clamp' },
  listUserMeetings: { page: 'clamp', items: 'clamp' },
  // 422 with every message (decision 4). The core refuses the request, because some rules depend on the stored
  // webhook.
  createWebhook: webhook,
  changeWebhook: webhook,
  exportMeetings: exportPages,
  exportMeetingsByPost: exportPages,
};

export function answerTo(id: OperationId, { path, keyword }: FailedRule): RuleAnswer {
  if (keyword === 'unknown') return 'refuse';
  const answers = ruleAnswers[id as ApiOperationId] ?? {};
  // A client can name an unknown field `constructor`.
  const own = Object.hasOwn(answers, path) ? answers[path] : undefined;
  const answer = own ?? (path === 'limit' ? 'clamp' : 'refuse');
  if (typeof answer === 'string' || !('keywords' in answer)) return answer;
  return answer.keywords[keyword] ?? 'refuse';
}
