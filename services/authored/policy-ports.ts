import type { FileFault } from '#core/file-fault.ts'
import type { LayerPolicies, PolicyLayers } from '#core/policy/layer.ts'
import type { AuthoredStore } from '#store/authored/authored.ts'
import type { ServiceContext } from '../context.ts'

/** Where a document of the console comes from. */
export interface PolicyAuthor {
  /** the name under which it is stored; a document that carries another one is broken */
  name?: string
  author: string
}

/** What authoring policies stands on. */
export interface PolicyPorts {
  store: AuthoredStore
  /** what packs and files say, as it is in force */
  layers(): Promise<Pick<PolicyLayers, 'pack' | 'overlay'>>
  /** the policy, and everything that `svc check` would say of it */
  lint(text: string, origin: PolicyAuthor): Promise<{ layer: LayerPolicies; faults: FileFault[] }>
  /** this process judges by what was written from now on */
  changed(workspaceId: string): void
}

export type PolicyPortsContext = ServiceContext & { policy_ports: PolicyPorts }
