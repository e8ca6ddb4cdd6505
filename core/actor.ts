export const ACTOR_TYPES = ['user', 'service', 'schedule', 'system'] as const
export type ActorType = (typeof ACTOR_TYPES)[number]

export const AUTH_METHODS = ['jwt', 'api_key', 'magic_link', 'signature', 'none'] as const
export type AuthMethod = (typeof AUTH_METHODS)[number]

/** The caller. With authentication off every caller is the local owner, and no identity is checked. */
export interface Actor {
  type: ActorType
  id: string
  display: string
  email?: string
  /** the person who answers for a service account */
  human_root?: string
  account_id: string
  roles: string[]
  /** free role names, for `approval_role` of policies */
  approval_roles: string[]
  /** rights of a service account beyond its role, for example `approvals:on_behalf` */
  scopes: string[]
  /** the workspaces this actor may enter, the first being home */
  workspaces: '*' | string[]
  auth: AuthMethod
  /** the user's token version at sign-in; a later one voids the credential */
  token_version?: number
  /** the client that the credential was issued to */
  client_id?: string
  /** the API key of the request, with its scopes */
  key?: { id: string; scopes: string[] }
}
