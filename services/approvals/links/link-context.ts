import type { Actor } from '#core/actor.ts'
import { needsConfirmation } from '#core/gate/needs-confirmation.ts'
import { objectOf, textOf } from '#core/json/json.ts'
import type { ApprovalViews } from '#store/gates/approval-views.ts'
import type { MagicLink, MagicLinks } from '#store/gates/magic-links.ts'
import type { DecisionContext, HaltPorts } from '../../context.ts'
import type { NoticeGates, NoticeView } from '../notice-gates.ts'
import type { LinkClaims, LinkSigner } from './issue-link.ts'

/** The dependencies of magic links. */
export interface LinkPorts {
  signer: LinkSigner
  links: MagicLinks
  gates: NoticeGates
}

export type LinkContext = DecisionContext & HaltPorts & LinkPorts & { approvals: Pick<ApprovalViews, 'remarks'> }

/** A link with a valid signature, and its gate. */
export interface OpenedLink {
  claims: LinkClaims
  link: MagicLink
  gate: NoticeView
}

/** Wrong codes after which a link is good for nothing. */
export const CODE_TRIES = 5

/** The state of a link. */
export type LinkState = 'open' | 'decided' | 'changed' | 'used' | 'blocked'

/** Where people sign in, each votes once by their own name, so that one link serves all of them; elsewhere it is good for one decision. */
export function linkState({ claims, link, gate }: OpenedLink, open: boolean): LinkState {
  if (gate.status !== 'open') return 'decided'
  if (gate.plan_hash !== claims.plan_hash) return 'changed'
  if (demandsLogin(gate, open)) return 'open'
  if (link.used_at !== null) return 'used'
  return link.wrong_codes >= CODE_TRIES ? 'blocked' : 'open'
}

/**
 * Tells whether a link needs a signed-in user: a gate that requires an identity does, since any holder may use a link; so does a quorum
 * while people can be told apart, since one person may hold two links.
 */
export function demandsLogin({ required }: Pick<NoticeView, 'required'>, open: boolean): boolean {
  return required.approval_roles.length > 0 || required.prevent_self || (!open && required.approvals > 1)
}

/** Tells whether an approval is confirmed on the page, as in the console. */
export function mustConfirm({ gate }: Pick<OpenedLink, 'gate'>): boolean {
  return needsConfirmation({ ...gate, action_type: textOf(objectOf(gate.view['operation'])['action_type']) })
}

/** The one who was sent the link, as the one who acts: an address, without any role. */
export function recipientActor({ link }: Pick<OpenedLink, 'link'>): Actor {
  return {
    type: 'user',
    id: link.recipient,
    display: link.recipient,
    account_id: '',
    roles: [],
    approval_roles: [],
    scopes: [],
    workspaces: [link.workspace_id],
    auth: 'magic_link',
  }
}
