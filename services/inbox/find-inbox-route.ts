import type { Inbox, InboxRoute } from './inbox-route.ts'

/** The route that a delivery belongs to; undefined when nothing takes it. */
export function findInboxRoute({ routes }: Pick<Inbox, 'routes'>, path: string): InboxRoute | undefined {
  return routes.find((route) => path === route.path || path.startsWith(`${route.path}/`))
}
