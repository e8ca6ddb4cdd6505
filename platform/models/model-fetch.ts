import type { EgressClient } from '#platform/egress/egress-client.ts'
import { DEPLOYMENT_NETWORK } from '#platform/notify/channel-settings.ts'

export type ModelFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/**
 * Requests to providers, whose answers are read as they come. A provider may be where channels may be: anywhere but at the metadata service
 * of a cloud. Nothing is followed: a key is for the address that the deployment has written down.
 */
export function createModelFetch(egress: Pick<EgressClient, 'resolve'>): ModelFetch {
  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input)
    await egress.resolve({ url, egress: DEPLOYMENT_NETWORK, ...(init.signal ? { signal: init.signal } : {}) })
    // biome-ignore lint/style/noRestrictedGlobals: the address of a model is of the deployment, and no redirect is followed
    return await fetch(input, { ...init, redirect: 'error' })
  }
}
