export default (ctx) => {
  if (ctx.server) {
    ctx.state.member = ctx.req.member
  }
}

export function state() {
  return { member: null }
}
