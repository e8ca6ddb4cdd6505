import { z } from 'zod'
import { AUTHORED, AuthoredProblem } from '../policy/console-schema.ts'
import { ENVIRONMENT_CLASSES, OBJECT_STORES, ON_LOST_STANDING } from './environment.ts'
import { EnvironmentBackends, EnvironmentFile, ProfileFile, StoredConnections } from './schema.ts'

/** Secrets and reach are set in files, by the people who run the machine. */
const ofFiles = z.never('is set in environments/<name>.yaml only, so leave it out here').optional()

/**
 * The console's document of an environment: the fields of its file, without reach, programs and queues, and of connections those of the
 * console. An absent field keeps the file's value.
 */
export const ConsoleEnvironment = EnvironmentFile.extend({
  connections: StoredConnections.optional(),
  egress: ofFiles,
  processes: ofFiles,
  queues: ofFiles,
})
export type ConsoleEnvironment = z.output<typeof ConsoleEnvironment>

/** The console's document of a profile. An absent field keeps the file's value. */
export const ConsoleProfile = ProfileFile.extend({
  requires_approval: z.array(z.string().min(1).max(1_000)).optional(),
})
export type ConsoleProfile = z.output<typeof ConsoleProfile>

/** The same as JSON: keys that mean nothing here are not among them. */
export const EnvironmentDraft = EnvironmentFile.extend({ connections: StoredConnections.optional() }).omit({
  egress: true,
  processes: true,
  queues: true,
})
export const ProfileDraft = ConsoleProfile.omit({ model_roles: true, audit: true })

/** The layers that set a value: shipped, a file, or the console. */
const Layers = z.array(z.enum(['seeded', 'file', 'console'])).meta({
  description: 'The layers that set it; later ones override earlier ones field by field',
  example: ['seeded', 'console'],
})

const RECORD_FIELDS = {
  layers: Layers,
  /** absent where the console has no document */
  document: AUTHORED.document.optional(),
  author: AUTHORED.author.optional(),
  updated_at: AUTHORED.updated_at.optional(),
  digest: AUTHORED.digest.optional(),
  problems: z.array(AuthoredProblem),
  loosens: z
    .array(z.string())
    .optional()
    .meta({
      description: 'In the answer to a change: settings by which something may be laxer now',
      example: ['freeze'],
    }),
  etag: z.string(),
}

/** An environment in force. */
export const EnvironmentRecord = z
  .object({
    name: z.string().meta({ example: 'production' }),
    class: z.enum(ENVIRONMENT_CLASSES),
    policies: z.array(z.string()).meta({ description: 'Policies of the console that it attaches' }),
    knowledge: z.array(z.string()).meta({ description: 'Corpora that are searched here' }),
    workspaces: z.array(z.string()).meta({ description: 'Slugs of the workspaces whose runs may use it, `*` for all' }),
    granted: z
      .boolean()
      .meta({ description: 'True where runs of the workspace that was asked in may use it', example: true }),
    cost_gate: z.object({ max_usd: z.number().optional(), daily_usd: z.number().optional() }),
    approval: z.looseObject({ prevent_self: z.boolean(), min_approvals: z.int() }),
    freeze: z.array(z.looseObject({ name: z.string() })),
    profile: z.string().optional(),
    notify: z.object({ on: z.array(z.string()), channels: z.array(z.string()) }).optional(),
    on_lost_standing: z.enum(ON_LOST_STANDING).optional(),
    connections: z.array(z.object({ id: z.string(), kind: z.string() })),
    queues: z.array(z.object({ name: z.string(), task_queue: z.string(), attest: z.string().optional() })).meta({
      description:
        'Task queues that steps may hand work to; `attest`: the public key by which results have to be signed',
      example: [{ name: 'ml', task_queue: 'ml-gpu' }],
    }),
    backends: z
      .object({ object_store: z.enum(OBJECT_STORES), object_connection: z.string().optional() })
      .meta({ description: 'Where artifacts of runs are kept', example: { object_store: 'fs' } }),
    ...RECORD_FIELDS,
  })
  .meta({ id: 'Environment', description: 'An environment as it is in force, and its layers.' })
export type EnvironmentRecord = z.output<typeof EnvironmentRecord>

/** A profile in force. */
export const ProfileRecord = z
  .object({
    name: z.string().meta({ example: 'careful' }),
    environment: z.string().optional(),
    requires_approval: z.array(z.string()),
    require_plan_hash: z.boolean().optional(),
    limits: z.object({ max_usd: z.number().optional() }).optional(),
    ...RECORD_FIELDS,
  })
  .meta({ id: 'Profile', description: 'A profile as it is in force, and its layers.' })
export type ProfileRecord = z.output<typeof ProfileRecord>

/** The layers of an environment or a profile, and the problems there. */
export type SettingLayers = Pick<ProfileRecord, keyof typeof RECORD_FIELDS>

/** The attach-list of an environment. */
export const AttachList = z.strictObject({
  policies: z
    .array(z.string().min(1).max(1_000))
    .max(200)
    .meta({ example: ['night-guard'] }),
})
export type AttachList = z.output<typeof AttachList>

/** The corpora of an environment. */
export const KnowledgeList = z.strictObject({
  knowledge: z
    .array(z.string().min(1).max(1_000))
    .max(200)
    .meta({ example: ['runbooks'] }),
})
export type KnowledgeList = z.output<typeof KnowledgeList>

/** The backends of an environment. */
export const BackendsEdit = EnvironmentBackends.meta({
  example: { object_store: 's3', object_connection: 'artifacts' },
})
export type BackendsEdit = z.output<typeof BackendsEdit>

/** An environment or a profile after its console document was deleted. */
export const DeletedSetting = z.object({
  name: z.string(),
  layers: Layers,
  loosens: z.array(z.string()).meta({ description: 'Settings by which something may be laxer now' }),
})

const FormFields = ProfileDraft.omit({ apiVersion: true, name: true })

/** The JSON Schema from which a form is drawn. */
export const PROFILE_FORM = z.toJSONSchema(FormFields, { io: 'input' })

/** The fields of a profile's form. A field that is left out keeps the file's value. */
export const ProfileFormEdit = z.strictObject({ values: FormFields })
export type ProfileFormEdit = z.output<typeof ProfileFormEdit>

/** A profile as a form shows it. */
export const ProfileForm = z
  .object({
    name: z.string(),
    schema: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema of `values`' }),
    values: FormFields.meta({ description: 'What the console says' }),
    in_force: ProfileRecord.meta({ description: 'What counts, of all layers' }),
    etag: z.string(),
  })
  .meta({ id: 'ProfileForm' })
export type ProfileForm = z.output<typeof ProfileForm>
