import Foundation
import PostbackVerification

let json = FileHandle.standardInput.readDataToEndOfFile()

let verifier = try PostbackVerifier()
let verification = try verifier.verify(json)
if let postback = verification.verified {
  print("genuine: app \(postback.fields.appID), signed with \(postback.signer.id)")
} else {
  print("rejected: \(verification.rejectCode?.explanation ?? "")")
}
