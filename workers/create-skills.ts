import type { Config } from '#platform/config.ts'
import type { createDeploymentContent } from '#platform/deployment-content.ts'
import type { Logger } from '#platform/logger.ts'
import type { Bus } from '#services/bus/bus.ts'
import { createServiceDeps } from '#services/create-service-deps.ts'
import type { ServiceDeps } from '#services/service-deps.ts'
import { type FireSkillDeps, fireSkill } from '#services/skills/fire-skill.ts'
import { subscribeSkills } from '#services/skills/subscribe-skills.ts'
import type { WorkspaceDirectory } from '#services/workspaces/workspace-directory.ts'
import type { Db } from '#store/db.ts'
import type { SkillFirings } from '#store/skill-firings.ts'
import { unscoped } from '#store/tenant-db.ts'

export interface SkillParts extends Pick<ServiceDeps, 'engine' | 'notifyRun' | 'clock'> {
  config: Config
  db: Db
  bus: Bus
  content: ReturnType<typeof createDeploymentContent>
  workspaces: Pick<WorkspaceDirectory, 'find'>
  firings: SkillFirings
  log: Logger
}

/** The skills of this process: each subscribes to its topics and starts its runs. Closed before the bus is. */
export function createSkills({
  config,
  db,
  bus,
  content,
  engine,
  notifyRun,
  workspaces,
  firings,
  clock,
  log,
}: SkillParts) {
  const services = createServiceDeps(config, {
    db,
    tenants: unscoped(db),
    content,
    engine,
    notifyRun,
    clock,
    // a lost start is made up for by the sweep
    later: (work) =>
      void work().catch((error: unknown) => log.warn({ err: error }, 'the engine was not told of a run')),
  })
  const deps: FireSkillDeps = { services, firings, workspaces }
  return subscribeSkills({
    bus,
    skills: content.skills,
    fire: (skill, message) => fireSkill(deps, skill, message),
    log,
  })
}
