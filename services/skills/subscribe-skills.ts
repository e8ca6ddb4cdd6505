import type { Log } from '#core/log.ts'
import { type Skill, type SkillStart, subscriberName } from '#core/skill/skill.ts'
import type { SkillCatalogue } from '#platform/skills/skill-catalogue.ts'
import type { Bus, BusMessage, Subscription } from '../bus/bus.ts'
import type { Firing } from './fire-skill.ts'

export interface SkillSubscriptionOptions {
  bus: Bus
  skills: Pick<SkillCatalogue, 'list' | 'find' | 'onChange'>
  fire(skill: Skill & { start: SkillStart }, message: BusMessage): Promise<Firing>
  log: Pick<Log, 'info' | 'warn'>
}

interface Entry {
  topics: string
  subscription: Subscription
}

/** Keeps one subscription for each skill that has topics, in every workspace, as the skills come, change and go. */
export function subscribeSkills({ bus, skills, fire, log }: SkillSubscriptionOptions) {
  const entries = new Map<string, Entry>()
  /** a name is reused only after its holder has released it */
  let turn: Promise<void> = Promise.resolve()
  let closed = false

  async function handle(id: string, message: BusMessage): Promise<void> {
    // as it reads now, which may be newer than its subscription
    const skill = skills.find(id)
    if (skill?.start === undefined) return
    const { outcome, run_id, reason } = await fire({ ...skill, start: skill.start }, message)
    const fields = { skill: id, topic: message.topic, message_id: message.id, outcome }
    if (outcome === 'started') log.info({ ...fields, run_id }, 'a skill started a run')
    else log.warn({ ...fields, reason }, 'a skill started no run')
  }

  async function sync(): Promise<void> {
    if (closed) return
    const wanted = new Map(
      skills.list().flatMap(({ id, start }) => (start === undefined || start.on.length === 0 ? [] : [[id, start.on]])),
    )
    for (const [id, { topics, subscription }] of entries) {
      if (wanted.get(id)?.join() === topics) continue
      entries.delete(id)
      await subscription.close()
    }
    for (const [id, patterns] of wanted) if (!entries.has(id)) open(id, patterns)
  }

  function open(id: string, patterns: string[]): void {
    const subscription = bus.subscribe({
      name: subscriberName(id),
      patterns,
      workspace_id: '*',
      from: 'now',
      handler: (message) => handle(id, message),
    })
    subscription.ready.catch((error: unknown) =>
      log.warn({ skill: id, err: error }, 'a skill could not subscribe to its topics'),
    )
    entries.set(id, { topics: patterns.join(), subscription })
  }

  function resync(): void {
    turn = turn
      .then(sync)
      .catch((error: unknown) => log.warn({ err: error }, 'the subscriptions of skills are not current'))
  }

  const unfollow = skills.onChange(resync)
  resync()
  return {
    /** Takes no more events and resolves when those at hand are dealt with. */
    async close(): Promise<void> {
      closed = true
      unfollow()
      await turn
      await Promise.all([...entries.values()].map(({ subscription }) => subscription.close()))
    },
  }
}
