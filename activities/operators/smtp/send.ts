import { z } from 'zod'
import { defineOperator, type OperationTransport, type Operator, type OperatorContext } from '#core/operator.ts'
import { connectionText } from '#core/run/shown-data.ts'
import { MailAddress, MailSender, senderDomain } from '#core/text/mail-address-schema.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import type { Mailer } from '#platform/mail/send-mail.ts'
import { ConnectionId } from '../field-schema.ts'
import { operatorInput } from '../operator-input.ts'
import { predicted } from '../predicted.ts'
import { required } from '../required.ts'
import { mailFailed, shownAnswer, smtpOnly, smtpServer } from './server.ts'

const SmtpSendInput = z.strictObject({
  connection: ConnectionId,
  from: MailSender,
  to: z.array(MailAddress).min(1).max(50).describe('Each address sees the others'),
  reply_to: MailAddress.exactOptional(),
  subject: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'one line without control characters'),
  text: z
    .string()
    .min(1)
    .max(100_000)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it refuses them
    .regex(/^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$/, 'text without control characters'),
})
type SmtpSendInput = z.infer<typeof SmtpSendInput>

/**
 * Creates `smtp.send`: hands one plain text mail to a mail server. Its Message-ID follows from run and step, so that a mail whose fate is not
 * known can be found; it is never sent again by itself after the server began to receive it.
 */
export function createSmtpSend({ egress, mail }: { egress: EgressClient; mail?: Mailer }): Operator {
  const mailer = () => required(mail, 'this process sends no mail')
  return defineOperator<SmtpSendInput>({
    id: 'smtp.send',
    version: 1,
    title: 'Send mail',
    risk: 'medium',
    action_type: 'message.send',
    capabilities: ['mail.send'],
    requires_approval: false,
    ...operatorInput(SmtpSendInput),
    replay: () => 'ask',
    connection: ({ connection }) => connection,
    applyConnection: smtpOnly,
    describe: (input, transport) => ({
      summary: `send “${input.subject}” to ${input.to.join(', ')} through ${connectionText(input.connection, transport.connection?.target)}`,
      targets: { kind: 'mail', ids: input.to },
      command: mailText(input, transport),
    }),
    simulate: (ctx, input) =>
      predicted(ctx, async () => {
        const { host, port } = await smtpServer(egress, ctx, input.connection)
        const summary = `would send “${input.subject}” to ${input.to.join(', ')} by ${host}:${port}`
        return { ok: true, summary, details: { mail: mailText(input, ctx) } }
      }),
    async testConnection(ctx, connection) {
      const server = await smtpServer(egress, ctx, connection)
      await mailer()
        .signIn(server, { signal: ctx.signal })
        .catch((error: unknown) => {
          throw mailFailed(error, server, '')
        })
    },
    execute: async (ctx, input) => ({ outputs: await send(mailer(), egress, ctx, input) }),
  })
}

async function send(mailer: Mailer, egress: EgressClient, ctx: OperatorContext, input: SmtpSendInput) {
  const server = await smtpServer(egress, ctx, input.connection)
  const message_id = messageId(input, ctx)
  const { from, to, reply_to, subject, text } = input
  const mail = {
    from,
    to: to.map((address) => ({ name: '', address })),
    ...(reply_to === undefined ? {} : { replyTo: reply_to }),
    subject,
    text,
    messageId: message_id,
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
  const { accepted, rejected, answer } = await mailer
    .send(server, mail, { signal: ctx.signal, beforeSending: () => ctx.beforeSending() })
    .catch((error: unknown) => {
      throw mailFailed(error, server, message_id)
    })
  return {
    message_id,
    accepted,
    rejected: rejected.map((each) => ({ address: each.address, answer: shownAnswer(each.answer) })),
    answer: shownAnswer(answer),
  }
}

/** The same for every attempt of a step. */
function messageId({ from }: SmtpSendInput, { idempotency_key }: Pick<OperationTransport, 'idempotency_key'>): string {
  return `<${idempotency_key.replaceAll(/[^A-Za-z0-9_-]/g, '.')}@${senderDomain(from)}>`
}

function mailText(input: SmtpSendInput, transport: Pick<OperationTransport, 'idempotency_key'>): string {
  return [
    `From: ${input.from}`,
    `To: ${input.to.join(', ')}`,
    ...(input.reply_to === undefined ? [] : [`Reply-To: ${input.reply_to}`]),
    `Subject: ${input.subject}`,
    `Message-ID: ${messageId(input, transport)}`,
    '',
    input.text,
  ].join('\n')
}
