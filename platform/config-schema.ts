import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'

/** The description of a setting, besides its type. */
export interface SettingMeta {
  description: string
  /** the values it accepts, in words */
  takes: string
  /** `all`: never shown; `password`: only the password inside the url is hidden */
  secret?: 'all' | 'password'
}

/** Every setting by the name of its environment variable. The descriptions are what `svc config` prints. */
export const environmentSchema = z.object({
  SVC_HOME: text('a directory')
    .default(join(homedir(), '.svc'))
    .describe('Data directory: database, engine, audit log, artifacts, policies'),
  SVC_HOST: text('a host name or an IP address').default('127.0.0.1').describe('Address the API listens on'),
  SVC_PORT: integer(1, 65_535).default(9090).describe('Port of the API'),
  SVC_URL: webUrl().optional().describe('API that the commands talk to (the local one when unset)'),
  SVC_ALLOW_OPEN: flag()
    .default(false)
    .describe('Allow an address that other machines reach although authentication is off'),
  SVC_PUBLIC_URL: webUrl()
    .optional()
    .describe('Address under which people reach the API, for links in messages (SVC_URL, else the local one)'),
  SVC_CONSOLE_DIR: text('a directory')
    .optional()
    .describe('A build of the console, as the image has it (when unset, the API builds it once after its first start)'),
  OBS_JWT_SECRET: secretKey().optional().describe('Turns authentication on; signs the tokens (HS256)'),
  SVC_SECRET_KEY: secretKey()
    .optional()
    .describe(
      'Master key of links, decisions and sealed inputs (when unset: secret.key in SVC_HOME under `npm start`, else OBS_JWT_SECRET)',
    ),
  SVC_SECRET_KEYS: secretKeys()
    .optional()
    .describe(
      'Keys that open the secrets of connections, apart by commas: the first seals. The master key opens them too, and seals without this setting',
    ),
  SVC_TOKEN_TTL_MINUTES: integer(1, 43_200).default(480).describe('How long a token is good'),
  SVC_TEMPORAL_APPROVALS: flag()
    .default(false)
    .describe(
      'Says that access to Temporal is guarded: signals from its Web UI may then approve with authentication on',
    ),
  SVC_RATE_LIMIT: integer(0, 100_000)
    .default(20)
    .describe('Requests a second of one principal with authentication on; 0 for no limit'),
  SVC_DELIVERY_RATE_LIMIT: integer(0, 100_000)
    .default(500)
    .describe('Deliveries a second to triggers of one sender, counted over ten seconds; 0 for no limit'),
  SVC_ADMIN_EMAIL: text('a mail address')
    .optional()
    .describe('With SVC_ADMIN_PASSWORD: the first owner, made when there is none'),
  SVC_ADMIN_PASSWORD: text('a password of at least 12 characters', 'all')
    .optional()
    .describe('Password of the first owner'),
  SVC_TOKEN: text('a bearer token', 'all')
    .optional()
    .describe('Token that the commands use (the one `svc login` kept when unset)'),
  SVC_WORKSPACE: text('the id of a workspace')
    .optional()
    .describe('Workspace that the commands work in (your own when unset)'),
  DATABASE_URL: databaseUrl()
    .optional()
    .describe(
      'An existing PostgreSQL, instead of the embedded one. `?sslmode=require` encrypts, `?sslmode=verify-full` also verifies the certificate',
    ),
  SVC_APP_PASSWORD: z
    .string()
    .min(1)
    .meta(takes('a password', 'all'))
    .optional()
    .describe('When migrating: password of the role svc_app that the processes use (made of the owner’s when unset)'),
  TEMPORAL_ADDRESS: address().optional().describe('An existing Temporal cluster, instead of the embedded server'),
  TEMPORAL_NAMESPACE: text('a namespace').default('default').describe('Temporal namespace'),
  TEMPORAL_API_KEY: text('an API key', 'all').optional().describe('API key of Temporal Cloud'),
  TEMPORAL_TLS_CERT: text('a path to a PEM file').optional().describe('Client certificate for Temporal'),
  TEMPORAL_TLS_KEY: text('a path to a PEM file').optional().describe('Key of the client certificate'),
  TEMPORAL_TLS_CA: text('a path to a PEM file')
    .optional()
    .describe('Authority that signed the certificate of Temporal'),
  SVC_TEMPORAL_CLI: text('a path').optional().describe('The `temporal` program that runs the embedded server'),
  SVC_TEMPORAL_PORT: integer(1, 65_535)
    .default(7233)
    .describe('Port of the embedded Temporal; when taken, the next free one'),
  SVC_TEMPORAL_UI: flag()
    .default(false)
    .describe(
      'Serves the Web UI of the embedded Temporal to browsers of this machine; refused while authentication is on',
    ),
  SVC_TEMPORAL_UI_PORT: integer(1, 65_535)
    .default(8233)
    .describe('Port of the Temporal Web UI; when taken, the next free one'),
  SVC_TEMPORAL_UI_URL: webUrl().optional().describe('Address of the Temporal Web UI, for links'),
  SVC_TEMPORAL_SYNCHRONOUS: integer(1, 2)
    .default(1)
    .describe('Disk sync of the embedded Temporal: 1 survives a killed process, 2 also a power cut'),
  SVC_POLICIES_DIR: text('a directory').optional().describe('Overlay policies (SVC_HOME/policies when unset)'),
  SVC_PACKS_DIR: text('a directory')
    .optional()
    .describe('Extra packs beside the shipped ones (SVC_HOME/packs when unset)'),
  SVC_KNOWLEDGE_DIR: text('a directory')
    .optional()
    .describe('Folders of documents that corpora may index (SVC_HOME/knowledge when unset)'),
  SVC_PIPELINES_DIR: text('a directory')
    .optional()
    .describe('Pipeline bundles beside those of packs, a folder each (SVC_HOME/pipelines when unset)'),
  SVC_BACKUPS_DIR: text('a directory')
    .optional()
    .describe('Where runs keep backups of databases (SVC_HOME/backups when unset); every worker needs the same one'),
  SVC_MODEL_BASE_URL: webUrl()
    .optional()
    .describe('OpenAI-compatible endpoint of models in models.yaml that name none'),
  SVC_MODEL_API_KEY: text('an API key', 'all').optional().describe('API key for SVC_MODEL_BASE_URL'),
  SVC_MODELS_FILE: text('a path to a YAML file')
    .optional()
    .describe('Models, their prices and roles (models.yaml in SVC_HOME when unset)'),
  SVC_MODEL_UNREAD_SECONDS: integer(1, 3_600)
    .default(300)
    .describe(
      'How long a streamed answer waits for a caller that takes next to nothing of it (less than about 1 MB), before its connection is closed',
    ),
  SVC_ASK_DATABASE_URL: databaseUrl()
    .optional()
    .describe('Where the ask agent reads, as a role that can do nothing else (DATABASE_URL as svc_ask when unset)'),
  SVC_ASK_MAX_USD: usd().default(0.05).describe('What one turn of the ask agent may cost'),
  SVC_ASK_DAILY_USD: usd()
    .default(1)
    .describe('What the questions of one person in one workspace may cost on a UTC day'),
  SVC_ASK_TURNS_PER_MINUTE: integer(0, 1_000)
    .default(10)
    .describe('Questions a minute that one principal may ask the ask agent; 0 for no limit'),
  SVC_ASK_RETENTION_DAYS: integer(1, 3_650)
    .default(90)
    .describe('How long a thread of the ask agent is kept after its last turn'),
  SVC_APPROVAL_TTL_HOURS: hours().default(168).describe('How long a gate waits for an answer'),
  SVC_LANE_REALTIME: integer(1, 1_000).default(4).describe('Operations that run at once in the realtime lane'),
  SVC_LANE_BACKGROUND: integer(1, 1_000).default(2).describe('Operations that run at once in the background lane'),
  OBS_TRIGGER_DURABLE: flag()
    .default(false)
    .describe('Keeps what arrives at triggers in an inbox before it is processed; accepts while Temporal is away'),
  OBS_OPS_MCP: flag()
    .default(false)
    .describe('Offers what the API reads to agents, as tools of the Model Context Protocol at /mcp'),
  SVC_RUN_RETENTION_DAYS: integer(30, 3_650)
    .optional()
    .describe('How long ended runs are kept, with all that hangs on them but the audit log; for good when unset'),
  SVC_INBOX_MAX_WAITING: integer(1, 10_000_000)
    .default(100_000)
    .describe('Deliveries of one workspace that may wait in the inbox; further ones are refused'),
  SVC_INBOX_RETENTION_DAYS: integer(1, 3_650).default(14).describe('How long the inbox keeps what it has processed'),
  SVC_SCHEDULE_FIRING_DAYS: integer(1, 3_650)
    .default(90)
    .describe('How long the outcome of each time of a schedule is kept; the last one always is'),
  SVC_BUS: oneOf(['in_process', 'postgres'])
    .default('in_process')
    .describe('The event bus: inside one process without a memory, or durable in the database'),
  SVC_BUS_RETENTION_DAYS: integer(1, 3_650).default(7).describe('How long the durable bus keeps its messages'),
  SVC_WORKER_METRICS_PORT: integer(1, 65_535)
    .optional()
    .describe('Port on which a worker serves the figures of the Temporal SDK to Prometheus, on loopback'),
  SVC_WORKER_DEPLOYMENT: z
    .string()
    .regex(/^[\w-]{1,64}\.[\w.-]{1,128}$/)
    .meta(takes('`<name>.<build ID>`, such as svc.2026-11-27'))
    .optional()
    .describe(
      'Version of a Worker Deployment of Temporal that the workers are, for a rolling upgrade: `<name>.<build ID>` (no versioning when unset)',
    ),
  SVC_LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least level that is logged'),
  SVC_KILL_POINT: text('the name of a point')
    .optional()
    .describe('For tests only: where in its work a process dies without a word, as a power cut would end it'),
  XDG_CONFIG_HOME: text('a directory')
    .default(join(homedir(), '.config'))
    .describe('Configuration directory of the user; `svc login` keeps its tokens in its svc/credentials.json'),
  XDG_CACHE_HOME: text('a directory')
    .default(join(homedir(), '.cache'))
    .describe('Cache directory of the user; a downloaded Temporal server lands in its svc/bin'),
})

export type Environment = z.infer<typeof environmentSchema>

export type SettingName = keyof Environment

/** `.default()` and `.optional()` wrap the schema that has `takes`; the description is on the outside. */
export function metaOf(name: SettingName): SettingMeta {
  const outer = environmentSchema.shape[name]
  const inner = outer instanceof z.ZodDefault || outer instanceof z.ZodOptional ? outer.unwrap() : outer
  const { takes, secret } = { takes: '', secret: undefined, ...inner.meta() }
  const base = { description: outer.description ?? '', takes: String(takes) }
  return secret === 'all' || secret === 'password' ? { ...base, secret } : base
}

export function isSetting(name: string): name is SettingName {
  return Object.hasOwn(environmentSchema.shape, name)
}

function takes(description: string, secret?: SettingMeta['secret']) {
  return secret === undefined ? { takes: description } : { takes: description, secret }
}

function text(description: string, secret?: SettingMeta['secret']) {
  return z.string().trim().min(1).meta(takes(description, secret))
}

/** HS256 needs a key of at least 32 bytes (RFC 7518 section 3.2). */
function secretKey() {
  return z
    .string()
    .refine((value) => new TextEncoder().encode(value).length >= 32)
    .meta(takes('at least 32 bytes', 'all'))
}

/** A key ring. */
function secretKeys() {
  return z
    .string()
    .transform((value) => value.split(',').map((key) => key.trim()))
    .refine((keys) => keys.every((key) => new TextEncoder().encode(key).length >= 32))
    .meta(takes('keys of at least 32 bytes each, apart by commas', 'all'))
}

function integer(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .refine((value) => value >= min && value <= max)
    .meta(takes(`an integer from ${min} to ${max}`))
}

function hours() {
  return z
    .string()
    .regex(/^(\d+(\.\d+)?|\.\d+)$/)
    .transform(Number)
    .refine((value) => value > 0 && value <= 87_600)
    .meta(takes('hours, more than 0 and at most 87600 (fractions allowed)'))
}

function usd() {
  return z
    .string()
    .regex(/^\d{1,6}(\.\d{1,6})?$/)
    .transform(Number)
    .refine((value) => value <= 100_000)
    .meta(takes('US dollars, at most 100000 with six decimals'))
}

function flag() {
  return z
    .enum(['0', '1', 'false', 'true'])
    .transform((value) => value === '1' || value === 'true')
    .meta(takes('1 or 0'))
}

function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values).meta(takes(values.join(', ')))
}

function databaseUrl() {
  return z.url({ protocol: /^postgres(ql)?$/ }).meta(takes('postgres://user:password@host:port/database', 'password'))
}

function webUrl() {
  return z.url({ protocol: /^https?$/ }).meta(takes('an http or https url'))
}

function address() {
  return z
    .string()
    .regex(/^(\[[0-9a-fA-F:]+\]|[^\s:/]+):\d{1,5}$/)
    .meta(takes('host:port'))
}
