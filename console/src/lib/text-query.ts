import type { Query } from '#client/create-client.ts'

/** Filters as they stand in an address: text. The API checks every value, and says in words what it does not take. */
export function textQuery<Path extends '/runs' | '/pipelines' | '/approvals' | '/console/api/audit'>(
  _path: Path,
  query: { [Name in keyof Query<Path>]?: string | number | undefined },
): Query<Path> {
  return query as Query<Path>
}
