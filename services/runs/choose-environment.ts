import { DEFAULT_PROFILE, type Environment, isGranted, type Profile } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import type { ServiceContext } from '../context.ts'

/** The environment and profile that a request, or its rule, names. */
export interface EnvironmentRequest {
  environment?: string
  profile?: string
  sandbox?: boolean
}

type EnvironmentPorts = Pick<ServiceContext, 'environments' | 'workspace_slug' | 'default_environment'>

/**
 * Chooses the environment and profile of a run. The environment: the requested one, else that of the requested profile, else the
 * workspace's, else `development`. The profile: the requested one, else the environment's, else `default`. Throws `validation_failed` for
 * unknown names: an environment that the workspace may not use counts as unknown.
 */
export function chooseEnvironment(
  ctx: EnvironmentPorts,
  request: EnvironmentRequest,
): { environment: Environment; profile: Profile } {
  const asked = request.profile === undefined ? undefined : findProfile(ctx, request.profile)
  const environment = findEnvironment(
    ctx,
    request.environment ??
      (request.sandbox === true ? 'sandbox' : asked?.environment) ??
      ctx.default_environment ??
      'development',
  )
  const profile = asked ?? findProfile(ctx, environment.profile ?? DEFAULT_PROFILE, environment.name)
  return { environment, profile }
}

function findEnvironment(ctx: EnvironmentPorts, name: string): Environment {
  const environment = ctx.environments.get(name)
  if (environment !== undefined && isGranted(environment, ctx.workspace_slug)) return environment
  const known = ctx.environments.list().filter((each) => isGranted(each, ctx.workspace_slug))
  const hint = didYouMean(
    name,
    known.map((each) => each.name),
  )
  const none =
    known.length === 0 && ctx.workspace_slug !== undefined
      ? ` that the workspace ${ctx.workspace_slug} may use, nor any other: add it to \`workspaces\` of an environment, in the console or in its file`
      : hint
  throw unknown('environment', `there is no environment ${name}${none}`)
}

/** A profile that does not exist would gate nothing, so a run does not begin under it. */
function findProfile(ctx: EnvironmentPorts, name: string, namedBy?: string): Profile {
  try {
    return ctx.environments.profile(name)
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'not_found') throw error
    const source = namedBy === undefined ? '' : `, which the environment ${namedBy} names`
    throw unknown('profile', `there is no profile ${name}${source}; add profiles/${name}.yaml`)
  }
}

function unknown(field: 'environment' | 'profile', message: string): DomainError {
  return new DomainError('validation_failed', message, {
    errors: [{ pointer: `/${field}`, loc: [field], msg: message, type: `unknown_${field}` }],
  })
}
