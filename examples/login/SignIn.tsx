export function SignIn() {
  return (
    <form className="sign-in" method="post" action="/login">
      <h1>Sign in</h1>
      <p>For development: a click signs you in, without a password.</p>
      <button name="user" value="ada">
        Sign in as Ada
      </button>
      <button name="user" value="ben">
        Sign in as Ben
      </button>
    </form>
  )
}
