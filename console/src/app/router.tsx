import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  retainSearchParams,
  useMatch,
} from '@tanstack/react-router'
import { Empty } from '../components/states.tsx'
import { readAuditSearch } from '../features/audit/filters.ts'
import { readGatesSearch } from '../features/gates/api.ts'
import { GatesPage } from '../features/gates/gates-page.tsx'
import { readChunkSearch } from '../features/knowledge/api.ts'
import { readPipelinesSearch } from '../features/pipelines/api.ts'
import { readRemoteJobsSearch } from '../features/remote-jobs/api.ts'
import { readRunsSearch } from '../features/runs/api.ts'
import { RunsPage } from '../features/runs/runs-page.tsx'
import { readStartSearch } from '../features/start/api.ts'
import { CONSOLE_PATH } from '../lib/places.ts'
import { readPartSearch, readSearch } from '../lib/read-search.ts'
import { STRINGS } from '../strings.ts'
import { Frame } from './frame.tsx'

const root = createRootRoute({
  component: Root,
  notFoundComponent: () => <Empty>{STRINGS.states.not_found}</Empty>,
  validateSearch: (given: Record<string, unknown>): { workspace?: string } => readSearch(['workspace'], given),
  // a link leads to the page in the workspace that it was copied in
  search: { middlewares: [retainSearchParams(['workspace'])] },
})
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('../features/home/home-page.tsx'), 'HomePage'),
})
const gates = createRoute({
  getParentRoute: () => root,
  path: '/gates',
  validateSearch: readGatesSearch,
  component: GatesPage,
})
const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: readRunsSearch,
  component: RunsPage,
})
const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$id',
  validateSearch: readPartSearch,
  component: lazyRouteComponent(() => import('../features/run/run-page.tsx'), 'RunPage'),
})
const remoteJobs = createRoute({
  getParentRoute: () => root,
  path: '/remote-jobs',
  validateSearch: readRemoteJobsSearch,
  component: lazyRouteComponent(() => import('../features/remote-jobs/remote-jobs-page.tsx'), 'RemoteJobsPage'),
})
const remoteJob = createRoute({
  getParentRoute: () => root,
  path: '/remote-jobs/$id',
  component: lazyRouteComponent(() => import('../features/remote-jobs/remote-job-page.tsx'), 'RemoteJobPage'),
})
const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import('../features/audit/audit-page.tsx'), 'AuditPage'),
})
const start = createRoute({
  getParentRoute: () => root,
  path: '/start',
  validateSearch: readStartSearch,
  component: lazyRouteComponent(() => import('../features/start/start-page.tsx'), 'StartPage'),
})
const startTemplate = createRoute({
  getParentRoute: () => root,
  path: '/start/$pack/$template',
  component: lazyRouteComponent(() => import('../features/start/template-page.tsx'), 'TemplatePage'),
})
const pipelines = createRoute({
  getParentRoute: () => root,
  path: '/pipelines',
  validateSearch: readPipelinesSearch,
  component: lazyRouteComponent(() => import('../features/pipelines/pipelines-page.tsx'), 'PipelinesPage'),
})
const pipeline = createRoute({
  getParentRoute: () => root,
  path: '/pipelines/$id',
  component: lazyRouteComponent(() => import('../features/pipelines/pipeline-page.tsx'), 'PipelinePage'),
})
const startPipeline = createRoute({
  getParentRoute: () => root,
  path: '/start-pipeline',
  component: lazyRouteComponent(() => import('../features/pipelines/start-pipeline-page.tsx'), 'StartPipelinePage'),
})
const triggers = createRoute({
  getParentRoute: () => root,
  path: '/triggers',
  validateSearch: readPartSearch,
  component: lazyRouteComponent(() => import('../features/triggers/triggers-page.tsx'), 'TriggersPage'),
})
const policies = createRoute({
  getParentRoute: () => root,
  path: '/policies',
  component: lazyRouteComponent(() => import('../features/policies/policies-page.tsx'), 'PoliciesPage'),
})
const policy = createRoute({
  getParentRoute: () => root,
  path: '/policies/$name',
  component: lazyRouteComponent(() => import('../features/policies/policy-page.tsx'), 'PolicyPage'),
})
const newPolicy = createRoute({
  getParentRoute: () => root,
  path: '/new-policy',
  component: lazyRouteComponent(() => import('../features/policies/new-policy-page.tsx'), 'NewPolicyPage'),
})
const admin = createRoute({
  getParentRoute: () => root,
  path: '/admin',
  validateSearch: readPartSearch,
  component: lazyRouteComponent(() => import('../features/admin/admin-page.tsx'), 'AdminPage'),
})
const knowledge = createRoute({
  getParentRoute: () => root,
  path: '/knowledge',
  component: lazyRouteComponent(() => import('../features/knowledge/knowledge-page.tsx'), 'KnowledgePage'),
})
const chunk = createRoute({
  getParentRoute: () => root,
  path: '/knowledge/$id',
  validateSearch: readChunkSearch,
  component: lazyRouteComponent(() => import('../features/knowledge/chunk-page.tsx'), 'ChunkPage'),
})
const me = createRoute({
  getParentRoute: () => root,
  path: '/me',
  component: lazyRouteComponent(() => import('../features/me/me-page.tsx'), 'MePage'),
})
const join = createRoute({
  getParentRoute: () => root,
  path: '/join',
  component: lazyRouteComponent(() => import('../features/session/join-page.tsx'), 'JoinPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    gates,
    runs,
    run,
    remoteJobs,
    remoteJob,
    start,
    startTemplate,
    pipelines,
    pipeline,
    startPipeline,
    triggers,
    policies,
    policy,
    newPolicy,
    audit,
    admin,
    knowledge,
    chunk,
    me,
    join,
  ]),
  basepath: CONSOLE_PATH.replace(/\/$/, ''),
  // every value of an address is text, as the API takes it
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const pairs = Object.entries(search).filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string' && pair[1] !== '',
    )
    return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
  },
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

/** Anyone who follows an invitation has nothing to sign in with yet. */
function Root() {
  const isJoining = useMatch({ from: '/join', shouldThrow: false }) !== undefined
  return isJoining ? <Outlet /> : <Frame />
}
