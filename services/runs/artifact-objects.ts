import { s3Location } from '#core/connection/kinds/s3-schema.ts'
import type { Environment } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import { OperatorError } from '#core/operator.ts'
import type { StoredObject } from '#core/run/patch.ts'
import type { S3Client } from '#platform/s3/s3-client.ts'
import type { ArtifactRemoval, ArtifactRemovals } from '#store/runs/artifact-removals.ts'
import { type OpenPorts, openConnection } from '../connections/open-connection.ts'

const READ_WITHIN_MS = 30_000
/** pauses between the attempts of a put */
const PAUSES_MS = [200, 1_000]
/** how long the url of a redirect is good */
const LINK_SECONDS = 60

interface ObjectPorts {
  connections: OpenPorts
  s3: Pick<S3Client, 'put' | 'get' | 'head' | 'presign' | 'remove'>
  environments: { get(name: string): Pick<Environment, 'egress'> | undefined }
}

/** An artifact whose content is in a bucket, as its record has it. */
export interface ObjectRecord {
  workspace_id: string
  environment: string
  name: string
  media_type: string
  size_bytes: number
  digest: string
  object: StoredObject
}

interface Put {
  environment: Environment
  run: { id: string; workspace_id: string }
  step_id: string
  signal: AbortSignal
  body: Uint8Array
  media_type: string
  digest: string
}

/** Content of artifacts in the buckets of environments. The digest of the record counts: other bytes are handed to nobody. */
export interface ArtifactObjects {
  /**
   * Puts content into the bucket of the run's environment; undefined where it keeps artifacts in the database. Throws OperatorError, or
   * DomainError where the connection cannot be opened.
   */
  put(of: Put): Promise<StoredObject | undefined>
  /** Throws `artifact_mismatch`, `not_configured` or `dependency_unavailable`. */
  read(record: ObjectRecord): Promise<Uint8Array>
  /** A url that is good for a minute, of an object that has just been found to be that of the record. Throws what `read` throws. */
  link(record: ObjectRecord, disposition: string): Promise<string>
  remove(removal: ArtifactRemoval): Promise<void>
}

/** The key is the same for every attempt of a step, and for equal files of a run. */
export function artifactKey({ id, workspace_id }: Put['run'], digest: string): string {
  return `${workspace_id}/${id}/${digest.replace(':', '-')}`
}

export function createArtifactObjects({ connections, s3, environments }: ObjectPorts): ArtifactObjects {
  const open = async (stored: string, workspaceId: string) => {
    const opened = await openConnection(connections, { stored, kind: 's3', id: stored, workspaceId })
    return { opened, location: s3Location(opened, stored) }
  }

  /** For a person who reads: as the environment may reach out now. */
  async function reach({
    workspace_id,
    environment,
    object,
  }: Pick<ObjectRecord, 'workspace_id' | 'environment' | 'object'>) {
    const { location } = await open(object.connection, workspace_id).catch((cause: unknown) => {
      if (!(cause instanceof DomainError) || cause.code !== 'not_found') throw cause
      const why = `its bucket is reached by the connection ${object.connection}, which is not there, or not granted to this workspace`
      throw new DomainError('not_configured', `The artifact cannot be read: ${why}.`, {}, { cause })
    })
    const egress = environments.get(environment)?.egress ?? []
    return { location, rules: { egress, signal: AbortSignal.timeout(READ_WITHIN_MS) } }
  }

  return {
    async put({ environment, run, step_id, signal, body, media_type, digest }) {
      const { object_connection: connection } = environment.backends ?? {}
      if (connection === undefined) return undefined
      const rules = { egress: environment.egress, signal }
      const { opened, location } = await open(connection, run.workspace_id)
      await opened.use?.({ ...rules, run, step_id })
      const key = artifactKey(run, digest)
      const object = { key, body, content_type: media_type, metadata: { 'svc-run': run.id, 'svc-step': step_id } }
      for (let attempt = 0; ; attempt += 1) {
        try {
          await s3.put(location, object, rules)
          return { connection, key }
        } catch (error) {
          const pause = PAUSES_MS[attempt]
          const again = error instanceof OperatorError && error.retryable && !signal.aborted
          if (!again || pause === undefined) throw error
          await new Promise((resolve) => setTimeout(resolve, pause))
        }
      }
    },

    async read(record) {
      const { location, rules } = await reach(record)
      const { digest, size_bytes, object } = record
      const asked = { key: object.key, max_bytes: size_bytes, expect: { digest, size_bytes } }
      return (await s3.get(location, asked, rules).catch(refused(record))).body
    },

    async link(record, disposition) {
      const { location, rules } = await reach(record)
      const { digest, size_bytes, media_type, object } = record
      const { key } = object
      const found = await s3.head(location, { key }, rules).catch(refused(record))
      const { version_id } = found
      const expect = { digest, size_bytes }
      // a server that keeps no checksum is not believed by the size alone
      if (found.sha256 === undefined)
        await s3.get(location, { key, version_id, max_bytes: size_bytes, expect }, rules).catch(refused(record))
      else if (found.sha256 !== digest) throw mismatch(record)
      return await s3.presign(location, {
        key,
        version_id,
        expires_s: LINK_SECONDS,
        content_type: media_type,
        disposition,
      })
    },

    async remove({ object_connection: connection, object_key: key, ...of }) {
      const { location, rules } = await reach({ ...of, object: { connection, key } })
      await s3.remove(location, { key }, rules)
    },
  }
}

function mismatch({ name, digest }: ObjectRecord, cause?: unknown): DomainError {
  const message = `The bucket does not have ${name} as it was kept: the bytes of ${digest} are not there, and nothing else is handed out.`
  return new DomainError('artifact_mismatch', message, { digest }, { cause })
}

/** What a failed read means to the person who asked. */
function refused(record: ObjectRecord) {
  return (error: unknown): never => {
    if (!(error instanceof OperatorError)) throw error
    const { code, message } = error
    if (code === 'object_mismatch' || code === 'object_not_found') throw mismatch(record, error)
    if (error.retryable)
      throw new DomainError(
        'dependency_unavailable',
        `The bucket cannot be read now: ${message}.`,
        {},
        { cause: error },
      )
    throw new DomainError('not_configured', `The bucket cannot be read: ${message}.`, {}, { cause: error })
  }
}

/** Deletes objects whose artifacts are gone; one that cannot be deleted now is tried again later. */
export async function removeObjects(
  {
    removals,
    objects,
    failed,
  }: {
    removals: ArtifactRemovals
    objects: Pick<ArtifactObjects, 'remove'>
    failed(removal: ArtifactRemoval, error: unknown): void
  },
  limit: number,
): Promise<number> {
  let count = 0
  for (const removal of await removals.due(limit)) {
    try {
      await objects.remove(removal)
      await removals.done(removal)
      count += 1
    } catch (error) {
      failed(removal, error)
      await removals.postpone(removal)
    }
  }
  return count
}
