import { Client, Connection } from '@temporalio/client'

export interface TemporalTarget {
  address: string
  namespace: string
  api_key?: string
  tls?: { cert?: Buffer; key?: Buffer; ca?: Buffer } | true
}

/** Connects a client; loopback needs no encryption and no compression. */
export async function connectTemporal(target: TemporalTarget): Promise<Client> {
  const connection = await Connection.connect({
    address: target.address,
    ...(target.api_key !== undefined && { apiKey: target.api_key }),
    ...(target.tls !== undefined && { tls: target.tls === true ? true : tlsOptions(target.tls) }),
    connectTimeout: '5s',
  })
  return new Client({ connection, namespace: target.namespace })
}

export function tlsOptions(tls: { cert?: Buffer; key?: Buffer; ca?: Buffer }) {
  return {
    ...(tls.ca !== undefined && { serverRootCACertificate: tls.ca }),
    ...(tls.cert === undefined || tls.key === undefined ? {} : { clientCertPair: { crt: tls.cert, key: tls.key } }),
  }
}
