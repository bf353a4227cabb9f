declare function made(): string
declare namespace made {
  const extra: string
}
export = made
