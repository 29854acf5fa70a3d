@main struct Postback { static func main() {} }
