import { ClaimShapes } from '#core/gate/command-schema.ts'
import {
  CONNECTION_WORKFLOW,
  type ConnectionInput,
  connectionWorkflowId,
  DIGEST_WORKFLOW,
  type DigestInput,
  digestWorkflowId,
  END_WORKFLOW,
  type EndInput,
  endWorkflowId,
  GATE_NOTICES_WORKFLOW,
  type GateNoticesInput,
  gateNoticesWorkflowId,
  HALT_WORKFLOW,
  type HaltInput,
  haltWorkflowId,
  type NoticeActivities,
} from '#core/notify/contract.ts'
import { onClaim } from '../claims/on-claim.ts'
import { createAnnounceConnection, createPlanConnection } from './announce-connection.ts'
import { createAnnounceDigest, createPlanDigest } from './announce-digest.ts'
import { createAnnounceEnd } from './announce-end.ts'
import { createAnnounceGate } from './announce-gate.ts'
import { createAnnounceHalt, createPlanHalt } from './announce-halt.ts'
import type { NoticeDeps } from './deps.ts'
import { createPlanEnd } from './plan-end.ts'
import { createPlanNotices } from './plan-notices.ts'

export function createNoticeActivities(deps: NoticeDeps): NoticeActivities {
  return {
    planNotices: onClaim(deps.claims, ClaimShapes.planNotices, ownGate, createPlanNotices(deps)),
    announceGate: onClaim(deps.claims, ClaimShapes.announceGate, ownGate, createAnnounceGate(deps)),
    planEnd: onClaim(deps.claims, ClaimShapes.planEnd, ownEnd, createPlanEnd(deps)),
    announceEnd: onClaim(deps.claims, ClaimShapes.announceEnd, ownEnd, createAnnounceEnd(deps)),
    planHalt: onClaim(deps.claims, ClaimShapes.planHalt, ownHalt, createPlanHalt(deps)),
    announceHalt: onClaim(deps.claims, ClaimShapes.announceHalt, ownHalt, createAnnounceHalt(deps)),
    planConnection: onClaim(deps.claims, ClaimShapes.planConnection, ownConnection, createPlanConnection(deps)),
    announceConnection: onClaim(
      deps.claims,
      ClaimShapes.announceConnection,
      ownConnection,
      createAnnounceConnection(deps),
    ),
    planDigest: onClaim(deps.claims, ClaimShapes.planDigest, ownDigest, createPlanDigest(deps)),
    announceDigest: onClaim(deps.claims, ClaimShapes.announceDigest, ownDigest, createAnnounceDigest(deps)),
  }
}

/** What is told about a gate is told by the workflow of that gate. */
const ownGate = ({ gate_id }: GateNoticesInput) => ({
  workflow_id: gateNoticesWorkflowId(gate_id),
  type: GATE_NOTICES_WORKFLOW,
})
const ownEnd = ({ run_id }: EndInput) => ({ workflow_id: endWorkflowId(run_id), type: END_WORKFLOW })
const ownHalt = (halt: HaltInput) => ({ workflow_id: haltWorkflowId(halt), type: HALT_WORKFLOW })
const ownConnection = (of: ConnectionInput) => ({ workflow_id: connectionWorkflowId(of), type: CONNECTION_WORKFLOW })
const ownDigest = ({ digest_id, notice }: DigestInput) => ({
  workflow_id: digestWorkflowId({ digest_id, notice }),
  type: DIGEST_WORKFLOW,
})
