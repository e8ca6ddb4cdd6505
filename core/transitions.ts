/** From each state: to which states, and by which functions of the code. `none` is before there is anything. */
export type Transitions<State extends string, Start extends string> = Readonly<
  Record<State | Start, Readonly<Partial<Record<State, readonly [string, ...string[]]>>>>
>

/** The states that nothing leaves. */
export type FinalState<Table> = { [From in keyof Table]: keyof Table[From] extends never ? From : never }[keyof Table]

export interface Transition {
  from: string
  to: string
  by: readonly string[]
}

/** Every transition of a table, in its order. */
export function transitionsOf(table: Transitions<string, never>): Transition[] {
  return Object.entries(table).flatMap(([from, next]) =>
    Object.entries(next).map(([to, by]) => ({ from, to, by: by ?? [] })),
  )
}
