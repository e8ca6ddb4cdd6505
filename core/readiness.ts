/** Whether a process may begin with what it depends on: now (and what to say of it), later, or not before somebody has done something. */
export type Readiness =
  | { ready: true; note?: string }
  | { ready: false; wait: string }
  | { ready: false; refuse: string }
