import { z } from 'zod'

export const MailAddress = z.email('a mail address').max(254)

/** A mail address, or a name and an address, such as `Service <svc@example.org>`: one line that can add no header. */
export const MailSender = z
  .string()
  .max(320)
  .refine(isSender, 'a mail address, or a name and an address: Service <svc@example.org>')

function isSender(text: string): boolean {
  const named = /^[^\p{Cc}<>",;:@]*<([^<>]+)>$/u.exec(text)
  return MailAddress.safeParse(named?.[1] ?? text).success
}

/** The domain of a sender. */
export function senderDomain(from: string): string {
  return from.slice(from.lastIndexOf('@') + 1).replace(/(?<![>\s])[>\s]+$/, '')
}
