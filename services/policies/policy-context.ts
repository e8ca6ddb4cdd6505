import type { OperatorCatalog } from '#core/operator-catalog.ts'
import type { PolicyShelf } from '#core/policy/layer.ts'
import type { ServiceContext, StartPorts } from '../context.ts'

/** What reads policies and asks them, and decides nothing. */
export type PolicyContext = Pick<
  ServiceContext,
  'environments' | 'packs' | 'workspace_id' | 'workspace_slug' | 'default_environment'
> &
  Pick<StartPorts, 'policies'> & { shelf: PolicyShelf; operators: Pick<OperatorCatalog, 'get'> }
