import { join, resolve } from 'node:path'
import { isLoopback } from '#core/egress/classify.ts'
import { DAY_MS, HOUR_MS } from '#core/time/time.ts'
import { type Environment, environmentSchema, isSetting, metaOf } from './config-schema.ts'
import { type ConfigProblem, readSecretSettings } from './secret-settings.ts'
import { isProtective, type UnknownSetting, unknownSettings } from './unknown-settings.ts'

export type LogLevel = Environment['SVC_LOG_LEVEL']

/** The effective settings: parsed once, true from here on. */
export interface Config {
  /** absolute path of the data directory */
  home: string
  host: string
  port: number
  /** base url of the API that this configuration starts */
  localUrl: string
  /** base url of the API that commands talk to: SVC_URL, else the local one */
  apiUrl: string
  /** url of an existing PostgreSQL; undefined means embedded */
  databaseUrl: string | undefined
  /** password of the role that the processes use; undefined means that it follows from the owner's */
  appPassword: string | undefined
  temporal: TemporalConfig
  policiesDir: string
  packsDir: string
  /** pipeline bundles besides those of packs */
  pipelinesDir: string
  /** folders of corpora are named below it */
  knowledgeDir: string
  backupsDir: string
  approvalTtlMs: number
  lanes: { realtime: number; background: number }
  /** port of the worker's metrics of the Temporal SDK */
  workerMetricsPort: number | undefined
  /** undefined: the workers have no version for Temporal */
  workerDeployment: { deploymentName: string; buildId: string } | undefined
  bus: { kind: Environment['SVC_BUS']; retentionMs: number }
  /** the inbox of triggers: on or off, and how long it keeps processed deliveries */
  inbox: { durable: boolean; retentionMs: number; maxWaiting: number }
  schedules: { retentionMs: number }
  /** true when agents may read at /mcp */
  mcp: boolean
  /** days until ended runs are deleted; undefined: never */
  runRetentionDays: number | undefined
  auth: {
    /** undefined means that authentication is off */
    jwtSecret: string | undefined
    tokenTtlMs: number
    /** signals from the engine's own surfaces may approve */
    temporalApprovals: boolean
    /** requests a second of one principal; 0 for no limit */
    rateLimit: number
    /** deliveries a second to triggers of one sender; 0 for no limit */
    deliveryRateLimit: number
    /** the first owner, made when there is none */
    admin: { email: string; password: string } | undefined
    /** bearer token of the commands */
    token: string | undefined
  }
  /** file of the command line's tokens */
  credentialsFile: string
  /** workspace that the commands name; undefined means the caller's own */
  workspace: string | undefined
  /** master key of links, decisions and sealed inputs */
  secretKey: string | undefined
  /** of the secrets of connections: the first seals, all of them open */
  connectionKeys: string[]
  /** the file of `models.yaml`, the endpoint of models that name none, and the read timeout of a streamed answer */
  models: { file: string; base_url: string | undefined; key: string | undefined; unread_ms: number }
  /** the ask agent: its database url, caps of a turn and of a day, rate limit, and retention of threads */
  ask: {
    databaseUrl: string | undefined
    turnUsd: number
    dayUsd: number
    turnsPerMinute: number
    retentionMs: number
  }
  /** a build of the console that is there; undefined where the API builds it */
  consoleDir: string | undefined
  /** base url of the API in messages to people */
  publicUrl: string
  logLevel: LogLevel
  /** for fault tests only: the point at which a process dies */
  killPoint: string | undefined
  /** directory of downloaded programs */
  cacheDir: string
  /** the parsed variables, for `describeConfig` */
  environment: Environment
  given: ReadonlySet<string>
  /** variables that look like settings and are none */
  unknown: UnknownSetting[]
}

export interface TemporalConfig {
  /** host:port of an existing cluster; undefined means embedded */
  address: string | undefined
  namespace: string
  apiKey: string | undefined
  /** paths of PEM files */
  tls: { cert: string | undefined; key: string | undefined; ca: string | undefined }
  cli: string | undefined
  port: number
  /** true when the embedded server includes its Web UI */
  ui: boolean
  uiPort: number
  uiUrl: string | undefined
  synchronous: 1 | 2
}

/** Every fault of the environment variables. */
export class ConfigError extends Error {
  readonly problems: ConfigProblem[]

  constructor(problems: ConfigProblem[]) {
    super(problems.map(({ name, got, takes }) => `${name} is ${got}; it takes ${takes}`).join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** Parses the environment, secrets from their files too; throws a `ConfigError` that lists every bad variable. An empty variable counts as unset. */
export function loadConfig(env: Record<string, string | undefined>): Config {
  const secrets = readSecretSettings(env)
  const given = Object.fromEntries(
    Object.entries(secrets.env).filter(([name, value]) => name in environmentSchema.shape && value),
  )
  const unknown = unknownSettings(env)
  const parsed = environmentSchema.safeParse(given)
  const problems = [
    ...secrets.problems,
    ...(parsed.error?.issues ?? []).map((issue) => problemOf(String(issue.path[0]), given)),
    ...crossChecks(given),
    ...unknown.filter((each) => isProtective(each, given)).map(misspelt),
  ]
  if (!parsed.success || problems.length > 0) throw new ConfigError(distinct(problems))
  return { ...toConfig(parsed.data, new Set(Object.keys(given))), unknown }
}

/** Its protection would be off silently. */
function misspelt({ name, nearest = '' }: UnknownSetting): ConfigProblem {
  return { name, got: 'no setting', takes: `another name: did you mean ${nearest}?` }
}

function toConfig(env: Environment, given: ReadonlySet<string>): Omit<Config, 'unknown'> {
  const home = resolve(env.SVC_HOME)
  const secretKey = env.SVC_SECRET_KEY ?? env.OBS_JWT_SECRET
  const localUrl = `http://${bracketed(env.SVC_HOST)}:${env.SVC_PORT}`
  return {
    home,
    host: env.SVC_HOST,
    port: env.SVC_PORT,
    localUrl,
    apiUrl: env.SVC_URL?.replace(/(?<!\/)\/+$/, '') ?? localUrl,
    databaseUrl: env.DATABASE_URL,
    appPassword: env.SVC_APP_PASSWORD,
    temporal: {
      address: env.TEMPORAL_ADDRESS,
      namespace: env.TEMPORAL_NAMESPACE,
      apiKey: env.TEMPORAL_API_KEY,
      tls: { cert: env.TEMPORAL_TLS_CERT, key: env.TEMPORAL_TLS_KEY, ca: env.TEMPORAL_TLS_CA },
      cli: env.SVC_TEMPORAL_CLI,
      port: env.SVC_TEMPORAL_PORT,
      ui: env.SVC_TEMPORAL_UI,
      uiPort: env.SVC_TEMPORAL_UI_PORT,
      uiUrl: env.SVC_TEMPORAL_UI_URL,
      synchronous: env.SVC_TEMPORAL_SYNCHRONOUS === 2 ? 2 : 1,
    },
    policiesDir: env.SVC_POLICIES_DIR ? resolve(env.SVC_POLICIES_DIR) : join(home, 'policies'),
    packsDir: env.SVC_PACKS_DIR ? resolve(env.SVC_PACKS_DIR) : join(home, 'packs'),
    knowledgeDir: env.SVC_KNOWLEDGE_DIR ? resolve(env.SVC_KNOWLEDGE_DIR) : join(home, 'knowledge'),
    pipelinesDir: env.SVC_PIPELINES_DIR ? resolve(env.SVC_PIPELINES_DIR) : join(home, 'pipelines'),
    backupsDir: env.SVC_BACKUPS_DIR ? resolve(env.SVC_BACKUPS_DIR) : join(home, 'backups'),
    approvalTtlMs: Math.max(1, Math.round(env.SVC_APPROVAL_TTL_HOURS * HOUR_MS)),
    lanes: { realtime: env.SVC_LANE_REALTIME, background: env.SVC_LANE_BACKGROUND },
    workerMetricsPort: env.SVC_WORKER_METRICS_PORT,
    workerDeployment: env.SVC_WORKER_DEPLOYMENT === undefined ? undefined : versionOf(env.SVC_WORKER_DEPLOYMENT),
    bus: { kind: env.SVC_BUS, retentionMs: env.SVC_BUS_RETENTION_DAYS * DAY_MS },
    mcp: env.OBS_OPS_MCP,
    inbox: {
      durable: env.OBS_TRIGGER_DURABLE,
      retentionMs: env.SVC_INBOX_RETENTION_DAYS * DAY_MS,
      maxWaiting: env.SVC_INBOX_MAX_WAITING,
    },
    schedules: { retentionMs: env.SVC_SCHEDULE_FIRING_DAYS * DAY_MS },
    runRetentionDays: env.SVC_RUN_RETENTION_DAYS,
    auth: {
      jwtSecret: env.OBS_JWT_SECRET,
      tokenTtlMs: env.SVC_TOKEN_TTL_MINUTES * 60_000,
      temporalApprovals: env.SVC_TEMPORAL_APPROVALS,
      rateLimit: env.SVC_RATE_LIMIT,
      deliveryRateLimit: env.SVC_DELIVERY_RATE_LIMIT,
      admin:
        env.SVC_ADMIN_EMAIL !== undefined && env.SVC_ADMIN_PASSWORD !== undefined
          ? { email: env.SVC_ADMIN_EMAIL, password: env.SVC_ADMIN_PASSWORD }
          : undefined,
      token: env.SVC_TOKEN,
    },
    credentialsFile: join(resolve(env.XDG_CONFIG_HOME), 'svc', 'credentials.json'),
    workspace: env.SVC_WORKSPACE,
    secretKey,
    connectionKeys: [...(env.SVC_SECRET_KEYS ?? []), ...(secretKey === undefined ? [] : [secretKey])],
    models: {
      file: env.SVC_MODELS_FILE ? resolve(env.SVC_MODELS_FILE) : join(home, 'models.yaml'),
      unread_ms: env.SVC_MODEL_UNREAD_SECONDS * 1_000,
      base_url: env.SVC_MODEL_BASE_URL,
      key: env.SVC_MODEL_API_KEY,
    },
    ask: {
      databaseUrl: env.SVC_ASK_DATABASE_URL,
      turnUsd: env.SVC_ASK_MAX_USD,
      dayUsd: env.SVC_ASK_DAILY_USD,
      turnsPerMinute: env.SVC_ASK_TURNS_PER_MINUTE,
      retentionMs: env.SVC_ASK_RETENTION_DAYS * DAY_MS,
    },
    consoleDir: env.SVC_CONSOLE_DIR === undefined ? undefined : resolve(env.SVC_CONSOLE_DIR),
    publicUrl: (env.SVC_PUBLIC_URL ?? env.SVC_URL ?? localUrl).replace(/(?<!\/)\/+$/, ''),
    logLevel: env.SVC_LOG_LEVEL,
    killPoint: env.SVC_KILL_POINT,
    cacheDir: join(resolve(env.XDG_CACHE_HOME), 'svc', 'bin'),
    environment: env,
    given,
  }
}

/** An IPv6 address is in brackets in a url (RFC 3986). */
function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** Rules between variables; they read the text, so that they are reported together with other faults. */
function crossChecks(env: Record<string, string | undefined>): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const { SVC_HOST: host, SVC_ALLOW_OPEN: open, TEMPORAL_TLS_CERT: cert, TEMPORAL_TLS_KEY: key } = env
  if (host && !env['OBS_JWT_SECRET'] && !isLoopback(host) && open !== '1' && open !== 'true') {
    const takes =
      'a loopback address, because authentication is off (OBS_JWT_SECRET turns authentication on; SVC_ALLOW_OPEN=1 opens the API to the network)'
    problems.push({ name: 'SVC_HOST', got: quote(host), takes })
  }
  if (Boolean(cert) !== Boolean(key)) {
    const name = cert ? 'TEMPORAL_TLS_KEY' : 'TEMPORAL_TLS_CERT'
    problems.push({ name, got: 'unset', takes: 'a path to a PEM file: certificate and key go together' })
  }
  const ui = env['SVC_TEMPORAL_UI']
  if (env['OBS_JWT_SECRET'] && (ui === '1' || ui === 'true')) {
    const takes = '0 while authentication is on (OBS_JWT_SECRET), because the Web UI of the dev server has no sign-in'
    problems.push({ name: 'SVC_TEMPORAL_UI', got: quote(ui), takes })
  }
  const { SVC_ADMIN_EMAIL: email, SVC_ADMIN_PASSWORD: password } = env
  if (Boolean(email) !== Boolean(password)) {
    const name = email ? 'SVC_ADMIN_PASSWORD' : 'SVC_ADMIN_EMAIL'
    problems.push({ name, got: 'unset', takes: 'a value, because the other one of the pair is set' })
  }
  return problems
}

function problemOf(name: string, env: Record<string, string | undefined>): ConfigProblem {
  if (!isSetting(name)) return { name, got: 'unexpected', takes: 'nothing' }
  const { takes, secret } = metaOf(name)
  return { name, got: secret ? 'a hidden value' : quote(env[name] ?? ''), takes }
}

function distinct(problems: ConfigProblem[]): ConfigProblem[] {
  return [...new Map(problems.map((problem) => [problem.name, problem])).values()]
}

function quote(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 77)}...` : value)
}

/** `<name>.<build ID>`: a name has no dot. */
function versionOf(text: string): { deploymentName: string; buildId: string } {
  const dot = text.indexOf('.')
  return { deploymentName: text.slice(0, dot), buildId: text.slice(dot + 1) }
}
