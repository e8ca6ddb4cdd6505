import { z } from 'zod'

/** Pattern of a name, without its anchors. */
export const NAME = '[a-z0-9][a-z0-9_-]{0,63}'
export const NAME_RULE = 'a name of lower-case letters, digits, dashes and underscores'

/** Of an environment, a queue, a process, a corpus or a channel. */
export const Name = z.string().regex(new RegExp(`^${NAME}$`), NAME_RULE)

/** Pattern of the slug of a workspace, without its anchors. */
export const WORKSPACE_SLUG = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'

const SLUG = '[a-z0-9][a-z0-9-]{0,63}'
/** As a template is named outside of its pack. */
export const PACK_TEMPLATE = new RegExp(`^${SLUG}/${SLUG}$`)

/** Of a pack, or of what is in it. */
export const Slug = z
  .string()
  .regex(new RegExp(`^${SLUG}$`), 'a name of lower-case letters, digits and dashes, at most 64')
export const PackTemplate = z.string().regex(PACK_TEMPLATE, 'a template as pack/template')
