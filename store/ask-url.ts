import { createHmac } from 'node:crypto'
import { ASK_ROLE } from './ask-role.ts'

/** Where the tools of the ask agent read: the database of the services, as the role that may only read. Its password follows from theirs. */
export function askUrl(servicesUrl: string): string {
  const url = new URL(servicesUrl)
  const password = url.password === '' ? '' : passwordFrom(decodeURIComponent(url.password))
  url.username = ASK_ROLE
  url.password = password
  return url.toString()
}

function passwordFrom(services: string): string {
  return createHmac('sha256', services).update(ASK_ROLE).digest('base64url')
}
