import { CONSOLE_URL } from './places.ts'

/** The token is behind `#`, which no browser sends and no proxy logs. */
export const invitationLink = (id: string, invite_token: string): string => `${CONSOLE_URL}/join#${id}.${invite_token}`

/** Reads the invitation behind `#` in the address; undefined when the link was cut. */
export function readInvitation(hash: string): { id: string; invite_token: string } | undefined {
  const [id, invite_token] = hash.split('.')
  return id && invite_token ? { id, invite_token } : undefined
}
