import { environmentText, visibleLine } from '../lib/text.ts'

const LIST = new Intl.ListFormat('en-GB')

/** The words of groups of equal gates. */
export const GATE_GROUPS = {
  count: (count: number) => `${count} equal gates`,
  waiting: (waiting: number, all: number) =>
    waiting === 0 ? `${all} gates, none waits any longer` : `${waiting} of ${all} equal gates wait`,
  trigger: (type: string) => `trigger: ${type}`,
  commented: (count: number) => (count === 1 ? '1 with a comment' : `${count} with comments`),
  worst: ({ severity, count }: { severity: string; count: number }) => `${count} ${severity}`,
  names: (names: readonly string[]) =>
    LIST.format((names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} more`] : names).map(visibleLine)),
  oldest: (time: string) => `the oldest waits for ${time}`,
  about:
    'Same trigger, template, operation, environment and risk; what differs is bold. Each chosen gate is answered by itself, with the plan hash that is shown here. Open one to see everything about it.',
  beforehand: {
    all: 'No difference is shown between them, so all are chosen beforehand.',
    none: 'They differ, so none is chosen beforehand: choose what you have looked at, or all.',
  },
  confirm_each:
    'Each of these has to be confirmed by itself: choose it to confirm it. Choosing all is for a rejection.',
  by_itself: (count: number) =>
    count === 1
      ? '1 of them has a comment, or somebody is looking at it: it is chosen only by itself.'
      : `${count} of them have a comment, or somebody is looking at them: each is chosen only by itself.`,
  reconsidered: (count: number) =>
    count === 1
      ? '1 gate has a new comment since you chose it, and is not chosen any longer.'
      : `${count} gates have a new comment since you chose them, and are not chosen any longer.`,
  columns: { choose: 'Chosen', what: 'What', waits: 'Waits', who: 'Who', plan: 'Plan', state: 'State' },
  choose: (summary: string) => `Choose: ${summary}`,
  confirm: (summary: string) => `Yes, do it: ${summary}`,
  chosen: (chosen: number, all: number) => `${chosen} of ${all} chosen`,
  approve: 'Approve the chosen (A)',
  reject: 'Reject the chosen (R)',
  all: 'Choose all',
  none: 'Choose none',
  newer: (count: number) => (count === 1 ? 'Show 1 gate that came since' : `Show ${count} gates that came since`),
  refused: {
    none_chosen: 'No chosen gate takes this answer from you. Choose gates first (x).',
    each_by_itself: 'These have to be confirmed each: choose by itself what you approve.',
  },
  form: {
    title: {
      approve: (count: number) => (count === 1 ? 'You approve 1 gate' : `You approve ${count} gates`),
      reject: (count: number) => (count === 1 ? 'You reject 1 gate' : `You reject ${count} gates`),
    },
    will: (environment: string, klass: string) => `Then this is done in ${environmentText(environment, klass)}:`,
    not: 'Then none of this is done, and the runs end as rejected:',
    below: (count: number) => `and ${count} more: scroll the list`,
    left_out: (count: number) =>
      count === 1
        ? '1 chosen gate does not take this answer from you and is left out.'
        : `${count} chosen gates do not take this answer from you and are left out.`,
    more: (count: number) =>
      count === 1 ? '1 of them needs further approvals.' : `${count} of them need further approvals.`,
    sure: (count: number) => (count === 1 ? 'Yes, do this one.' : `Yes, do these ${count}.`),
    note: 'Note, kept with each',
    note_required: 'Note (required), kept with each',
    send: { approve: (count: number) => `Approve ${count}`, reject: (count: number) => `Reject ${count}` },
    again: (count: number) => `Try again (${count})`,
    sending: (done: number, all: number) => `Sending, ${done} of ${all}…`,
  },
  state: {
    waits: 'waits',
    not_yours: 'not yours to answer',
    reject_only: 'you may only reject it',
    left: 'waits no longer',
    changed: 'Its plan has changed since it was shown: open it to see how. It was not answered.',
    sending: 'sending…',
    decided: (by: string) => `Decided meanwhile, your answer was not applied. ${by}`,
    refused: (why: string) => `Refused: ${why}`,
    counted: (have: number, need: number) => `counts, ${have} of ${need}`,
  },
  done: {
    approved: (count: number) => `${count} approved`,
    rejected: (count: number) => `${count} rejected`,
    counted: (count: number) => `${count} counted, more approvals needed`,
    decided: (count: number) => `${count} decided by somebody else`,
    changed: (count: number) => `${count} with a changed plan`,
    refused: (count: number) => `${count} refused`,
    left: (count: number) => `${count} closed elsewhere`,
  },
} as const
