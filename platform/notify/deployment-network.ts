/**
 * What a destination written down by the deployment may be beside public: its own networks and this machine. Link-local stays
 * closed, because the metadata service of a cloud lives there.
 */
export const DEPLOYMENT_NETWORK = [
  'loopback',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
]
