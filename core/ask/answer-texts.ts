/** Why nothing of an answer rests on what was looked up. */
export type Ungrounded = 'nothing_found' | 'over_budget'

/** What is answered then, word for word. */
export const UNGROUNDED: Record<Ungrounded, string> = {
  nothing_found:
    'I have no answer that rests on what I could look up here. Ask about runs, gates, costs, schedules, pipelines, packs or the audit log of this workspace.',
  over_budget: 'This turn may cost no more, and there is no answer yet that rests on what was looked up. Ask for less at once.',
}
