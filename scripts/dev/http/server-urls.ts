import { networkInterfaces } from 'node:os'

/** The URLs at which a server can be reached. */
export interface ServerUrls {
  /** The URL on this machine, or at the address on which the server listens. */
  local: string
  /** The URLs for other machines, when the server listens on all addresses; otherwise empty. */
  network: string[]
}

/** Lists the URLs of a server that listens on a host and a port. */
export function listServerUrls(
  { host, port, base }: { host: string; port: number; base: string },
  interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces(),
): ServerUrls {
  const urlOf = (name: string) => `http://${name.includes(':') ? `[${name}]` : name}:${port}${base}`
  if (host !== '0.0.0.0' && host !== '::') return { local: urlOf(host), network: [] }
  const addresses = Object.values(interfaces).flatMap((list = []) => list)
  const network = addresses
    // A link-local address of IPv6 needs the name of an interface, which a URL cannot contain.
    .filter(
      ({ internal, family, address }) =>
        !internal && (family === 'IPv4' || (host === '::' && !/^fe[89ab]/.test(address))),
    )
    .map(({ address }) => urlOf(address))
  return { local: urlOf('localhost'), network }
}
