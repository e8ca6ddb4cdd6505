/// <reference lib="es2024.string" />
import type { Redactor } from '../secret/redactor.ts'
import { utf8Bytes } from '../text/text.ts'
import type { NormalizedAlert } from './alert.ts'

/** An alert as its run keeps it: without known secrets, and no larger than its place. */
export type AlertRecord = Pick<
  NormalizedAlert,
  'source' | 'service' | 'symptom' | 'status' | 'severity' | 'title' | 'labels' | 'annotations' | 'links'
> &
  Partial<
    Pick<NormalizedAlert, 'external_id' | 'description' | 'starts_at' | 'ends_at' | 'values' | 'generator_url'>
  > & {
    /** digest of the whole alert in the payload */
    digest: string
    /** the members of which something was left out */
    cut?: string[]
  }

/** A run stores 64 kB of alerts: the one that started it, and the last state of its first members. */
export const STARTED_BY_BYTES = 16_384
export const STATE_BYTES = 3_072
export const MAX_STATES = 16

/** Most bytes of names, brackets and the digest, and least bytes of an uncut member. */
const FRAME_BYTES = 400
const MAX_NAME_BYTES = 200

/** Cuts an alert to `most` bytes: identity first, then labels, annotations, values and links, as far as they fit. */
export function alertRecord(alert: NormalizedAlert, redactor: Redactor, most: number): AlertRecord {
  const { labels, annotations, values = {} } = alert
  const plain = redactor.record({ ...textsOf(alert), links: alert.links })
  const room = openRoom(most - FRAME_BYTES)
  const name = (field: string, text: string) => room.text(field, text, MAX_NAME_BYTES)
  const record: AlertRecord = {
    source: name('source', plain.source),
    service: name('service', plain.service),
    symptom: name('symptom', plain.symptom),
    status: alert.status,
    severity: alert.severity,
    title: room.text('title', plain.title, most / 8),
    ...(plain.external_id !== undefined && { external_id: name('external_id', plain.external_id) }),
    ...(plain.starts_at !== undefined && { starts_at: plain.starts_at }),
    ...(plain.ends_at !== undefined && { ends_at: plain.ends_at }),
    ...(plain.generator_url !== undefined && room.whole('generator_url', plain.generator_url)),
    ...(plain.description !== undefined && { description: room.text('description', plain.description, most / 4) }),
    labels: room.members('labels', redactor.data(labels)),
    // rules already find the values among the annotations
    annotations: room.members('annotations', redactor.data(without(annotations, values))),
    ...(Object.keys(values).length > 0 && { values: room.members('values', redactor.data(values)) }),
    links: room.items('links', plain.links),
    digest: alert.raw_digest,
  }
  const cut = room.cut()
  return cut.length === 0 ? record : { ...record, cut }
}

function without(annotations: Record<string, string>, values: Record<string, string>): Record<string, string> {
  const isValue = (name: string) => name.startsWith('values.') && Object.hasOwn(values, name.slice('values.'.length))
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !isValue(name)))
}

function textsOf({ source, service, symptom, title, ...rest }: NormalizedAlert) {
  const { external_id, starts_at, ends_at, generator_url, description } = rest
  return {
    source,
    service,
    symptom,
    title,
    ...(external_id !== undefined && { external_id }),
    ...(starts_at !== undefined && { starts_at }),
    ...(ends_at !== undefined && { ends_at }),
    ...(generator_url !== undefined && { generator_url }),
    ...(description !== undefined && { description }),
  }
}

/** Allots `left` bytes in the order of requests, and notes which got less. */
function openRoom(left: number) {
  const cut = new Set<string>()
  const take = (bytes: number): boolean => {
    if (bytes > left) return false
    left -= bytes
    return true
  }
  return {
    cut: () => [...cut],
    text(field: string, text: string, most: number): string {
      const fitting = clipped(text, Math.min(most, left))
      if (fitting !== text) cut.add(field)
      left -= bytesOf(fitting)
      return fitting
    },
    /** an address is of use whole or not at all */
    whole<Field extends string>(field: Field, text: string): { [K in Field]?: string } {
      if (take(bytesOf(text))) return { [field]: text } as { [K in Field]?: string }
      cut.add(field)
      return {}
    },
    members(field: string, all: Record<string, string>): Record<string, string> {
      const most = left / 2
      return Object.fromEntries(
        Object.entries(all).flatMap(([key, value]) => {
          const fitting = clipped(value, most)
          const fits = take(bytesOf(key) + bytesOf(fitting) + 2)
          if (!fits || fitting !== value) cut.add(field)
          return fits ? [[key, fitting]] : []
        }),
      )
    },
    items<Item>(field: string, all: readonly Item[]): Item[] {
      return all.filter((item) => {
        const fits = take(bytesOf(item) + 1)
        if (!fits) cut.add(field)
        return fits
      })
    },
  }
}

/** Bytes of a value as JSON. */
function bytesOf(value: unknown): number {
  return utf8Bytes(JSON.stringify(value))
}

function clipped(text: string, most: number): string {
  if (bytesOf(text) <= most) return text
  let end = Math.min(text.length, Math.max(0, Math.floor(most)))
  let fitting = ''
  do {
    end = Math.floor(end * 0.8)
    fitting = `${text
      .slice(0, end)
      .toWellFormed()
      .replace(/\ufffd$/, '')}…`
  } while (end > 0 && bytesOf(fitting) > most)
  return fitting
}
