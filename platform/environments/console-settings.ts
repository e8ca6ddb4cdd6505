import { parseDocument as parseYaml } from 'yaml'
import type { z } from 'zod'
import { ConsoleEnvironment, ConsoleProfile } from '#core/environment/console-schema.ts'
import { followStore } from '#platform/follow-store.ts'
import { parseDocument } from '#platform/packs/parse-document.ts'

/** A document of the console, as the store keeps it. */
export interface SettingRow {
  name: string
  document: string
}

export interface SettingRows {
  environments: SettingRow[]
  profiles: SettingRow[]
}

/** The console's documents; those in `shut` are unreadable, and their content is unknown. */
export interface ConsoleDocuments<Value> {
  values: ReadonlyMap<string, Value>
  shut: ReadonlySet<string>
}

export interface ConsoleSettings {
  environments(): ConsoleDocuments<ConsoleEnvironment>
  profiles(): ConsoleDocuments<ConsoleProfile>
  /** Reloads now: earlier writes are in force when it resolves. Rejects when the store does not answer. */
  reload(): Promise<void>
  close(): void
}

export interface ConsoleSettingsOptions {
  load(): Promise<SettingRows>
  /** interval of polling for writes of other processes; 1,000 */
  poll_ms?: number
}

const NOTHING = { values: new Map<string, never>(), shut: new Set<string>() }

/** Follows the console's documents of environments and profiles. While the store does not answer, the last known ones stay in force. */
export function createConsoleSettings(
  { load, poll_ms }: ConsoleSettingsOptions,
  on: { change(): void; failure(error: unknown): void },
): ConsoleSettings {
  let known = ''
  let environments: ConsoleDocuments<ConsoleEnvironment> = NOTHING
  let profiles: ConsoleDocuments<ConsoleProfile> = NOTHING

  async function readOnce(): Promise<void> {
    const rows = await load()
    const found = JSON.stringify(
      [rows.environments, rows.profiles].map((list) => list.map(({ name, document }) => [name, document])),
    )
    if (found === known) return
    known = found
    environments = parsed(ConsoleEnvironment, rows.environments, environments)
    profiles = parsed(ConsoleProfile, rows.profiles, profiles)
    on.change()
  }

  const following = followStore({ read: readOnce, onFailure: (error) => on.failure(error), poll_ms })
  return {
    environments: () => environments,
    profiles: () => profiles,
    reload: following.reload,
    close: following.close,
  }
}

/** A broken document keeps its last value. Faults are refused at writing, so only another release can have written it. */
function parsed<Schema extends z.ZodType<{ name: string }>>(
  schema: Schema,
  rows: readonly SettingRow[],
  before: ConsoleDocuments<z.output<Schema>>,
): ConsoleDocuments<z.output<Schema>> {
  const values = new Map<string, z.output<Schema>>()
  const shut = new Set<string>()
  for (const { name, document } of rows) {
    const found = parseDocument(schema, name, new TextEncoder().encode(document))
    const value = Array.isArray(found) || found.data.name !== name ? before.values.get(name) : found.data
    if (value === undefined) shut.add(name)
    else values.set(name, value)
  }
  return { values, shut }
}

/** The text of an environment or a profile with other values of these keys, its comments kept; undefined takes a key out. */
export function settingText(text: string | undefined, name: string, keys: Record<string, unknown>): string {
  const document = parseYaml(text ?? `name: ${name}\n`)
  for (const [key, value] of Object.entries(keys)) {
    if (value === undefined) document.delete(key)
    else document.set(key, document.createNode(value, { flow: Array.isArray(value) }))
  }
  return document.toString()
}
