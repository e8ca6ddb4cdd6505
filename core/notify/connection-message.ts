import { formatTime } from '../time/format-time.ts'
import { oneLine } from './alert-facts.ts'
import type { ConnectionNotice, NoticeConnection, NoticeMessage } from './types.ts'

const LINE_CHARS = 140
const VALUE_CHARS = 300

/** The words of a notice about what was authorised for a connection. */
export function connectionMessage({ kind, connection, sent_at, time }: ConnectionNotice): NoticeMessage {
  const now = sent_at ?? time
  const { id, name, detail, since, expires_at } = connection
  const facts: [string, string][] = [
    ['Connection', name],
    ...(detail === null ? [] : [['Reason', detail] as [string, string]]),
    ...(kind === 'svc.connection.ends' ? [] : [['Since', formatTime(since, now)] as [string, string]]),
    ...(expires_at === null ? [] : [['Access token ends', formatTime(expires_at, now)] as [string, string]]),
    ['What to do', `svc connections authorize ${name}`],
    ['Id', id],
  ]
  return {
    title: oneLine(TITLES[kind](connection, now), LINE_CHARS),
    summary: SUMMARIES[kind],
    facts: facts.map(([label, value]) => ({ label, value: oneLine(value, VALUE_CHARS) })),
    because: [],
    evidence: [],
  }
}

const TITLES: Record<ConnectionNotice['kind'], (connection: NoticeConnection, now: string) => string> = {
  'svc.connection.failed': ({ name }) => `Connection ${name}: its authorisation has failed`,
  'svc.connection.unknown': ({ name }) => `Connection ${name}: it is not known whether its authorisation is still good`,
  'svc.connection.ends': ({ name, expires_at }, now) =>
    `Connection ${name}: its authorisation ends at ${expires_at === null ? 'an unknown time' : formatTime(expires_at, now)}`,
}

const SUMMARIES: Record<ConnectionNotice['kind'], string> = {
  'svc.connection.failed': 'Steps fail when its access token ends, until an admin authorises it again.',
  'svc.connection.unknown':
    'A refresh did not end. It is tried again when the access token ends; authorise it again to be sure before.',
  'svc.connection.ends': 'There is no refresh token. Steps fail from then on, until an admin authorises it again.',
}
