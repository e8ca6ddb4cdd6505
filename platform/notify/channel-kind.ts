import type { z } from 'zod'
import type { JsonObject } from '#core/json/json.ts'
import type { Notice, SendResult } from '#core/notify/types.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'

/** The dependencies of a channel. */
export interface ChannelPorts {
  egress: EgressClient
  /** the value behind `env:NAME` or `file:path`; throws `not_configured` */
  secret(reference: string): string
  /** milliseconds since 1970 */
  now(): number
  /** of one exchange */
  timeout_ms: number
}

/** One notice for one address of the channel. */
export interface Message {
  address: string
  notice: Notice
  /** `reference` of an earlier delivery to the same address about the same gate */
  previous?: JsonObject | undefined
}

/** The context of a note's dialog, returned with the answer. */
interface NoteTarget {
  decision: 'approve' | 'reject'
  [field: string]: string
}

/** A chat in which people answer. Rejects with what its client throws. */
export interface Chat {
  /** mail address of a member; undefined when the chat does not tell */
  emailOf(userId: string): Promise<string | undefined>
  whisper(conversation: string, userId: string, text: string): Promise<void>
  askNote(triggerId: string, target: NoteTarget): Promise<void>
}

export interface SignedHeaders {
  timestamp: string | undefined
  signature: string | undefined
}

type SettingsSchema = z.ZodType<{ name: string; kind: string; max_per_minute?: number }> & z.core.$ZodTypeDiscriminable

/** One kind of notification channel: everything that is specific to it. */
interface Definition<Schema extends SettingsSchema, Settings = z.output<Schema>> {
  kind: z.output<Schema>['kind']
  /** an entry of `channels.yaml` of this kind */
  settings: Schema
  /** every secret that it needs, old ones included: the channel is closed while one of them is missing */
  secrets(settings: Settings): string[]
  /** throws `not_configured` for a value that no secret of this kind can have */
  checkSecret?(reference: string, value: string): void
  /** all recipients, distinguished from those of other channels; each one gets a link of their own */
  addresses(settings: Settings): string[]
  /** it can also address a person who is no recipient of it, by their mail address */
  reaches_people?: true
  /** notices of gates that it sends one by one to a recipient in a minute, where its settings do not say; 0 for all of them */
  max_per_minute: number
  /** it can change what it has sent */
  edits?: true
  /** the machine that it sends to */
  host(settings: Settings): string
  /** Makes one attempt; it never retries by itself. */
  send(ports: ChannelPorts, settings: Settings, message: Message): Promise<SendResult>
  /** of a kind in which people answer: verifies a request, and opens the chat to its sender */
  chat?: {
    verify(
      ports: Pick<ChannelPorts, 'secret' | 'now'>,
      settings: Settings,
      headers: SignedHeaders,
      body: string,
    ): boolean
    open(ports: ChannelPorts, settings: Settings, dialog: string): Chat
  }
}

/** A channel of `channels.yaml`: what its kind does, with its settings. */
export interface Channel {
  name: string
  kind: string
  secrets: readonly string[]
  addresses: readonly string[]
  /** it can also address a person who is no recipient of it, by their mail address */
  reaches_people: boolean
  /** notices of gates that it sends one by one to a recipient in a minute; 0 for all of them */
  per_minute: number
  /** it can change what it has sent */
  edits: boolean
  host: string
  checkSecret(reference: string, value: string): void
  send(ports: ChannelPorts, message: Message): Promise<SendResult>
  chat?: {
    verify(ports: Pick<ChannelPorts, 'secret' | 'now'>, headers: SignedHeaders, body: string): boolean
    open(ports: ChannelPorts, dialog: string): Chat
  }
}

/** A kind as `channel-kinds.ts` lists it. */
export interface ChannelKind {
  kind: string
  schema: z.core.$ZodTypeDiscriminable & z.core.$ZodType<Channel>
}

export function defineChannelKind<Schema extends SettingsSchema>(definition: Definition<Schema>) {
  const { kind, settings: schema, checkSecret = () => undefined, chat } = definition
  const open = (settings: z.output<Schema>): Channel => ({
    name: settings.name,
    kind,
    secrets: definition.secrets(settings),
    addresses: definition.addresses(settings),
    reaches_people: definition.reaches_people ?? false,
    per_minute: settings.max_per_minute ?? 0,
    edits: definition.edits ?? false,
    host: definition.host(settings),
    checkSecret,
    send: (ports, message) => definition.send(ports, settings, message),
    ...(chat && {
      chat: {
        verify: (ports, headers, body) => chat.verify(ports, settings, headers, body),
        open: (ports, dialog) => chat.open(ports, settings, dialog),
      },
    }),
  })
  const { max_per_minute } = definition
  return { kind, open, schema: schema.transform((settings) => open({ max_per_minute, ...settings })) }
}
