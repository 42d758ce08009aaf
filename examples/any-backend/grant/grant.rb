# The route alone, in Ruby with Sinatra. A server of yours has the login.
require "json"
require "sinatra/base"

class Grant < Sinatra::Base
  SESSIONS = { "one" => "ada", "two" => "EXAMPLE\\grace" }.freeze # Your own.

  get "/internal/voice-grant" do # Asked by Stagepass, with the cookie of the page. The proxy hides this path.
    content_type :json
    user = SESSIONS[request.cookies["session"]]
    halt 401, "{}" unless user
    JSON.generate(user: user, products: ["stt"], usage: { minutesPerDay: 60 }, meetings: { ownership: "mine" })
  end
end

Grant.run!(bind: "127.0.0.1", port: ENV.fetch("PORT"), server: "webrick")
