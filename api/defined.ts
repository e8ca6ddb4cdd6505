type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** The record without the members that are undefined: absent and undefined are one on the wire, and two inside. */
export function defined<T extends object>(record: T): Defined<T> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Defined<T>
}
