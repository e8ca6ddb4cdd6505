import type { z } from '@hono/zod-openapi'
import { coalesced } from '#core/coalesced.ts'
import { ConsoleEnvironment, ConsoleProfile } from '#core/environment/console-schema.ts'
import type { Environment } from '#core/environment/environment.ts'
import type { FileFault } from '#core/file-fault.ts'
import { checkEnvironmentNames } from '#core/names/check-environment-names.ts'
import { checkStartNames } from '#core/names/check-start-names.ts'
import { checkProfileNames } from '#core/names/known-names.ts'
import type { Fault } from '#core/plan/fault.ts'
import { EMPTY_LAYER } from '#core/policy/layer.ts'
import { loosenedBy } from '#core/policy/loosened.ts'
import { knownNames, type NameSources } from '#platform/check/known-names.ts'
import { policyLayer } from '#platform/check/policy-layer.ts'
import { settingText } from '#platform/environments/console-settings.ts'
import { loadRule } from '#platform/packs/load-rules.ts'
import { parseDocument } from '#platform/packs/parse-document.ts'
import { parsePolicyYaml } from '#platform/policies/parse-policy-yaml.ts'
import type { LivePolicySource } from '#platform/policies/policy-source.ts'
import { apiKeyStatus } from '#services/api-keys/api-key-record.ts'
import type { Identity } from '#services/auth/identity.ts'
import { may } from '#services/auth/may.ts'
import { workspacesOf } from '#services/auth/user-record.ts'
import type { PolicyPorts } from '#services/authored/policy-record.ts'
import type { SettingPorts } from '#services/authored/setting-ports.ts'
import type { RulePorts } from '#services/authored/triggers.ts'
import type { ConnectionPorts } from '#services/connections/connection-ports.ts'
import { createConsoleDocuments } from '#store/authored/console-documents.ts'
import { createConsolePolicies, createPolicyDocuments } from '#store/authored/policy-documents.ts'
import { createPresetStore, type PresetStore } from '#store/authored/presets.ts'
import type { Db } from '#store/db.ts'
import { readCorpusNames } from '#store/knowledge/knowledge.ts'
import { createSavedViewStore, type SavedViewStore } from '#store/saved-views.ts'
import type { TenantDb } from '#store/tenant-db.ts'
import { createWorkspaceStore } from '#store/workspaces.ts'

/** Authoring of console documents. */
export interface Authoring {
  policy_ports: PolicyPorts
  rule_ports: RulePorts
  setting_ports: SettingPorts
  preset_store: PresetStore
  views: SavedViewStore
  connection_ports: ConnectionPorts
}

export interface AuthoringParts {
  db: Db
  tenants: TenantDb
  names: NameSources
  settings: SettingPorts['source']
  policies: Pick<LivePolicySource, 'layers' | 'invalidate'>
  identity: Pick<Identity, 'users' | 'keys' | 'tokens'>
  connections: Omit<ConnectionPorts, 'slugs' | 'refresh' | 'whyNotAllowed'>
}

/** Makes the dependencies of authoring: the tables, and the checks of files. */
export function createAuthoring(parts: AuthoringParts): Authoring {
  const { db, tenants, names, settings, policies, identity, connections } = parts
  // one read for all policies of a workspace, which are checked together
  const heldRoles = coalesced(() => identity.users.heldApprovalRoles())
  return {
    setting_ports: settingPorts({ db, names, settings, policies, connections: connections.store }),
    preset_store: createPresetStore(db, tenants),
    views: createSavedViewStore(db, tenants),
    connection_ports: {
      ...connections,
      slugs: createWorkspaceStore(db).slugs,
      refresh: settings.reloadConsole,
      async whyNotAllowed({ actor, key_id, token_version }) {
        if (identity.tokens === undefined) return undefined
        const user = await identity.users.find(actor.id)
        if (user?.status !== 'active' || !may(user, 'admin') || workspacesOf(user) !== '*') return 'not_allowed'
        const key = key_id === null ? undefined : await identity.keys.find(key_id)
        const holds =
          key_id === null ? token_version === user.token_version : key !== undefined && apiKeyStatus(key) === 'active'
        return holds ? undefined : 'signed_out'
      },
    },
    policy_ports: {
      store: createPolicyDocuments(db, tenants),
      layers: policies.layers,
      async lint(text, origin) {
        // without authentication no user has a role
        const approval_roles = identity.tokens === undefined ? undefined : await heldRoles()
        const known = { ...knownNames(names), ...(approval_roles !== undefined && { approval_roles }) }
        return policyLayer([{ file: 'policy', text, layer: 'console', ...origin }], known)
      },
      changed: policies.invalidate,
    },
    rule_ports: {
      store: createConsoleDocuments(db, 'rule'),
      lint(text, { author, environments }) {
        const known = { ...knownNames(names), environments }
        const loaded = loadRule(new TextEncoder().encode(text), author, (rule) =>
          checkStartNames(rule, { run: ['run'], at: [] }, known),
        )
        return 'faults' in loaded ? { faults: loaded.faults } : { rule: loaded.rule, faults: [] }
      },
    },
  }
}

function settingPorts({
  db,
  names,
  settings,
  policies,
  connections,
}: Omit<AuthoringParts, 'tenants' | 'identity' | 'connections'> & {
  connections: Pick<ConnectionPorts['store'], 'names'>
}): SettingPorts {
  const authored = createConsolePolicies(db)
  return {
    source: settings,
    stores: {
      environment: createConsoleDocuments(db, 'environment'),
      profile: createConsoleDocuments(db, 'profile'),
    },
    async lintEnvironment(text) {
      const [console_policies, corpora, slugs, stored_connections] = await Promise.all([
        authored.names(),
        readCorpusNames(db),
        createWorkspaceStore(db).slugs(),
        connections.names(),
      ])
      const known = { ...knownNames(names), console_policies, corpora, workspaces: slugs, stored_connections }
      return lintSetting(ConsoleEnvironment, text, (document) => [
        ...checkEnvironmentNames(document, known),
        ...ofFile(document, settings.composed(document.name, undefined)),
      ])
    },
    lintProfile: async (text) =>
      lintSetting(ConsoleProfile, text, (document) =>
        checkProfileNames({ ...document, requires_approval: document.requires_approval ?? [] }, knownNames(names)),
      ),
    edited: settingText,
    async attachingLoosens(attached) {
      const [rows, below] = await Promise.all([authored.named(attached), policies.layers()])
      return rows.some(({ document, name, author }) => {
        const console = parsePolicyYaml(document, { layer: 'console', source: name, name, author })
        return loosenedBy({ ...below, console: EMPTY_LAYER }, { ...below, console }).size > 0
      })
    },
  }
}

/** A connection that the file declares stays what the file says. */
function ofFile({ connections = {} }: ConsoleEnvironment, file: Pick<Environment, 'connections'> | undefined): Fault[] {
  return Object.keys(connections)
    .filter((id) => Object.hasOwn(file?.connections ?? {}, id))
    .map((id) => ({
      path: ['connections', id],
      message: `the file of the environment declares the connection ${id}; change it there`,
      key: true,
    }))
}

function lintSetting<Document>(
  schema: z.ZodType<Document>,
  text: string,
  check: (document: Document) => Fault[],
): { value?: Document; faults: FileFault[] } {
  const parsed = parseDocument(schema, 'document', new TextEncoder().encode(text))
  if (Array.isArray(parsed)) return { faults: parsed }
  return { value: parsed.data, faults: check(parsed.data).map(parsed.yaml.place) }
}
