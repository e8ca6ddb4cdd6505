import { DomainError } from '#core/errors.ts'
import type { RunEvent } from '#core/run/event-schema.ts'
import type { EventFeed } from '#store/event-feed.ts'
import type { RunNotifications } from '#store/runs/listen-for-runs.ts'

/** An entry of a log: numbered from 1 without gaps. */
export interface Logged {
  seq: number
  type: string
}

/** New entries of a log; `run_id`: the run, or any other subject of the log. */
interface LogUpdate<Event> {
  run_id: string
  last_seq: number
  terminal: boolean
  events: Event[]
}

/** The logs of all runs, or of all of another kind. */
export interface EventLog<Event extends Logged> {
  updates(known: { run_id: string; after_seq: number }[], limit: number): Promise<LogUpdate<Event>[]>
  head(workspaceId: string, id: string): Promise<{ last_seq: number; terminal: boolean } | undefined>
}

/** The events of one watcher. It buffers up to a cap and never blocks. */
export interface EventSink<Event extends Logged = RunEvent> {
  write(event: Event): void
  /** false when the buffer is full */
  hasRoom(): boolean
  /** resolves when there is room again or the reader has disconnected */
  drained(): Promise<void>
  end(reason: 'terminal' | 'closing' | 'overflow'): void
}

export interface EventHub<Event extends Logged = RunEvent> {
  /** Sends every event after `after_seq`, once and in order, until the run has ended. Answers with the way to stop. */
  watch(input: { workspace_id: string; run_id: string; after_seq: number }, sink: EventSink<Event>): Promise<() => void>
  openStreams(): number
  /** Ends every stream and takes no more. */
  close(): void
}

export interface EventHubOptions<Event extends Logged = RunEvent> {
  feed: EventLog<Event>
  notifications: RunNotifications
  onError: (error: unknown) => void
  poll_ms?: number
  max_per_workspace?: number
  /** a reader with a full buffer is disconnected after this long without reading */
  stall_ms?: number
}

interface Watcher<Event extends Logged> {
  workspace_id: string
  sink: EventSink<Event>
  cursor: number
  /** false while it reads its own way through the log, because it is new or its buffer was full */
  live: boolean
  progressed_at: number
}

/** All watchers of one run, and how far it has been read for those of them that are live. */
interface Channel<Event extends Logged> {
  run_id: string
  cursor: number
  last_seq: number
  terminal: boolean
  watchers: Set<Watcher<Event>>
}

const PAGE = 500

/** Feeds all streams of the process: one subscription, one statement per flush however many watchers a run has. */
export function createEventHub<Event extends Logged>(options: EventHubOptions<Event>): EventHub<Event> {
  const { feed, notifications, onError, poll_ms = 1_000, max_per_workspace = 100, stall_ms = 5_000 } = options
  const channels = new Map<string, Channel<Event>>()
  const streams = new Map<string, number>()
  const dirty = new Set<string>()
  let flushing = false
  let closed = false

  const stopListening = notifications.on((runIds) => wake(runIds ?? channels.keys()))
  const poll = setInterval(() => wake(channels.keys()), poll_ms)
  poll.unref()

  function wake(runIds: Iterable<string>): void {
    for (const runId of runIds) if (channels.has(runId)) dirty.add(runId)
    if (dirty.size > 0 && !flushing) void flush()
  }

  async function flush(): Promise<void> {
    flushing = true
    try {
      while (dirty.size > 0) {
        const behind = [...dirty].flatMap((runId) => channels.get(runId) ?? [])
        dirty.clear()
        const known = behind.map((channel) => ({ run_id: channel.run_id, after_seq: channel.cursor }))
        for (const update of await feed.updates(known, PAGE)) deliver(update)
      }
    } catch (error) {
      onError(error)
    } finally {
      flushing = false
    }
  }

  function deliver(update: LogUpdate<Event>): void {
    const channel = channels.get(update.run_id)
    if (!channel) return
    channel.cursor = Math.max(channel.cursor, update.events.at(-1)?.seq ?? 0)
    channel.last_seq = update.last_seq
    channel.terminal = update.terminal
    for (const watcher of channel.watchers) {
      if (watcher.live) push(channel, watcher, update.events)
      else if (hasStalled(watcher)) end(channel, watcher, 'overflow')
    }
    if (channel.cursor < channel.last_seq) dirty.add(channel.run_id)
  }

  function push(channel: Channel<Event>, watcher: Watcher<Event>, events: Event[]): void {
    for (const event of events) {
      if (event.seq <= watcher.cursor) continue
      if (!watcher.sink.hasRoom()) {
        follow(channel, watcher)
        return
      }
      write(watcher, event)
    }
    endWhenOver(channel, watcher)
  }

  function write(watcher: Watcher<Event>, event: Event): void {
    watcher.sink.write(event)
    watcher.cursor = event.seq
    watcher.progressed_at = performance.now()
  }

  function hasStalled(watcher: Watcher<Event>): boolean {
    return !watcher.sink.hasRoom() && performance.now() - watcher.progressed_at > stall_ms
  }

  /** Lets a watcher read for itself until it has reached the others; the others do not wait for it. */
  function follow(channel: Channel<Event>, watcher: Watcher<Event>): void {
    watcher.live = false
    watcher.progressed_at = performance.now()
    catchUp(channel, watcher).catch((error: unknown) => {
      onError(error)
      end(channel, watcher, 'closing')
    })
  }

  async function catchUp(channel: Channel<Event>, watcher: Watcher<Event>): Promise<void> {
    while (channel.watchers.has(watcher)) {
      if (watcher.cursor >= channel.cursor) {
        watcher.live = true
        return endWhenOver(channel, watcher)
      }
      const [update] = await feed.updates([{ run_id: channel.run_id, after_seq: watcher.cursor }], PAGE)
      for (const event of update?.events ?? []) {
        if (!watcher.sink.hasRoom()) await watcher.sink.drained()
        if (!channel.watchers.has(watcher)) return
        write(watcher, event)
      }
    }
  }

  function endWhenOver(channel: Channel<Event>, watcher: Watcher<Event>): void {
    if (channel.terminal && watcher.cursor >= channel.last_seq) end(channel, watcher, 'terminal')
  }

  function end(channel: Channel<Event>, watcher: Watcher<Event>, reason: 'terminal' | 'closing' | 'overflow'): void {
    if (leave(channel, watcher)) watcher.sink.end(reason)
  }

  function leave(channel: Channel<Event>, watcher: Watcher<Event>): boolean {
    if (!channel.watchers.delete(watcher)) return false
    if (channel.watchers.size === 0) channels.delete(channel.run_id)
    releaseStream(watcher.workspace_id)
    return true
  }

  function takeStream(workspaceId: string): void {
    if (closed) throw new DomainError('dependency_unavailable', 'The server is shutting down.')
    const count = streams.get(workspaceId) ?? 0
    if (count >= max_per_workspace) {
      throw new DomainError('rate_limited', `This workspace has ${max_per_workspace} open streams already.`, {
        retry_after_s: 5,
      })
    }
    streams.set(workspaceId, count + 1)
  }

  function releaseStream(workspaceId: string): void {
    const count = (streams.get(workspaceId) ?? 1) - 1
    if (count === 0) streams.delete(workspaceId)
    else streams.set(workspaceId, count)
  }

  return {
    async watch(input, sink) {
      takeStream(input.workspace_id)
      const head = await feed.head(input.workspace_id, input.run_id).catch((error: unknown) => {
        releaseStream(input.workspace_id)
        throw error
      })
      if (!head || closed) {
        releaseStream(input.workspace_id)
        throw head ? new DomainError('dependency_unavailable', 'The server is shutting down.') : notFound(input.run_id)
      }
      const channel: Channel<Event> = channels.get(input.run_id) ?? {
        run_id: input.run_id,
        cursor: head.last_seq,
        ...head,
        watchers: new Set(),
      }
      channels.set(input.run_id, channel)
      const { workspace_id, after_seq } = input
      const watcher: Watcher<Event> = { workspace_id, sink, cursor: after_seq, live: false, progressed_at: 0 }
      channel.watchers.add(watcher)
      follow(channel, watcher)
      return () => void leave(channel, watcher)
    },

    openStreams: () => [...streams.values()].reduce((sum, count) => sum + count, 0),

    close() {
      closed = true
      clearInterval(poll)
      stopListening()
      for (const channel of [...channels.values()])
        for (const watcher of [...channel.watchers]) end(channel, watcher, 'closing')
    },
  }
}

function notFound(runId: string): DomainError {
  return new DomainError('not_found', `there is no ${runId}`)
}

interface EventPage {
  run_id: string
  events: RunEvent[]
  last_seq: number
  terminal: boolean
  has_more: boolean
}

/** A page of a run's event log after a number, in order and without gaps. */
export async function listEvents(
  ctx: { workspace_id: string; feed: EventFeed },
  input: { run_id: string; after_seq: number; limit: number },
): Promise<EventPage> {
  const head = await ctx.feed.head(ctx.workspace_id, input.run_id)
  if (!head) throw new DomainError('not_found', `no run ${input.run_id}`)
  const [update] = await ctx.feed.updates([{ run_id: input.run_id, after_seq: input.after_seq }], input.limit)
  const events = update?.events ?? []
  const last = events.at(-1)?.seq ?? input.after_seq
  return {
    run_id: input.run_id,
    events,
    last_seq: last,
    terminal: update?.terminal ?? head.terminal,
    has_more: last < (update?.last_seq ?? head.last_seq),
  }
}
