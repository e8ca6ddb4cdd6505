/** The readiness of a process by its dependencies: now (with a message), later, or only after an operator has acted. */
export type Readiness =
  | { ready: true; note?: string }
  | { ready: false; wait: string }
  | { ready: false; refuse: string }
