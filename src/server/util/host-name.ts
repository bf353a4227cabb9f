const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_-]{1,63})*\.?$/i
const IPV6 = /^\[[0-9a-f:.]{2,45}\]$/i

/** Whether the text is a valid host name, or an IPv6 address in brackets. */
export function isHostName(name: string): boolean {
  return HOST_NAME.test(name) || IPV6.test(name)
}
